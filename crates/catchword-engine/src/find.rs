//! Finds bytes without asking the processor what it can.
//!
//! `memchr` asks at its first call, so as to choose among its ways of searching. A virtual machine stops for each of the
//! ten questions: 0.06 to 0.09 ms, a twentieth of a tick that then searches a few hundred bytes. Here the way is taken
//! that every processor of its kind knows; half as wide, it is as quick where what is looked for is near.

#[cfg(target_arch = "x86_64")]
use memchr::arch::all::packedpair::Pair;
#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::sse2::memchr::{One, Two};
#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::sse2::packedpair::Finder;

/// Where `needle` first stands in `haystack`.
#[inline]
pub fn byte(needle: u8, haystack: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(one) = One::new(needle) {
        return one.find(haystack);
    }
    memchr::memchr(needle, haystack)
}

/// Where `needle` last stands in `haystack`.
#[inline]
pub fn last_byte(needle: u8, haystack: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(one) = One::new(needle) {
        return one.rfind(haystack);
    }
    memchr::memrchr(needle, haystack)
}

/// Where the text `needle` first stands in `haystack`. For names and phrases, of which most are not there: nothing is worked
/// out in advance, and their first and last byte tell.
#[inline]
pub fn text(needle: &[u8], haystack: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        let last = u8::try_from(needle.len().saturating_sub(1)).unwrap_or(u8::MAX);
        let finder = Pair::with_indices(needle, 0, last).and_then(|ends| Finder::with_pair(needle, ends));
        if let Some(finder) = finder {
            return if haystack.len() >= finder.min_haystack_len() {
                finder.find(haystack, needle)
            } else {
                haystack.windows(needle.len()).position(|window| window == needle)
            };
        }
    }
    match needle {
        [one] => byte(*one, haystack),
        needle => memchr::memmem::find(haystack, needle),
    }
}

/// Whether `needle` stands in `haystack`.
#[inline]
pub fn has(haystack: &str, needle: &str) -> bool {
    text(needle.as_bytes(), haystack.as_bytes()).is_some()
}

/// Hands on every place in `haystack` at which one of two bytes stands, in order.
#[inline]
pub fn each_of(one: u8, other: u8, haystack: &[u8], each: impl FnMut(usize)) {
    #[cfg(target_arch = "x86_64")]
    if let Some(two) = Two::new(one, other) {
        return two.iter(haystack).for_each(each);
    }
    memchr::memchr2_iter(one, other, haystack).for_each(each);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_find_what_a_plain_loop_finds(haystack in prop::collection::vec(0..4_u8, 0..80), needle in 0..5_u8) {
            let first = haystack.iter().position(|byte| *byte == needle);
            prop_assert_eq!(super::byte(needle, &haystack), first);
            let last = haystack.iter().rposition(|byte| *byte == needle);
            prop_assert_eq!(super::last_byte(needle, &haystack), last);
            let mut found = Vec::new();
            super::each_of(needle, 1, &haystack, |at| found.push(at));
            let all: Vec<usize> =
                (0..haystack.len()).filter(|at| [needle, 1].contains(&haystack[*at])).collect();
            prop_assert_eq!(found, all);
        }

        #[test]
        fn a_text_is_found_where_it_first_stands(
            haystack in "[ab]{0,60}", needle in "[ab]{0,5}", long in "[ab]{20,40}", repeats in 1..20_usize,
        ) {
            for needle in [needle, long.clone()] {
                prop_assert_eq!(super::text(needle.as_bytes(), haystack.as_bytes()), haystack.find(&needle));
                let around = format!("{haystack}{needle}{haystack}");
                prop_assert_eq!(super::text(needle.as_bytes(), around.as_bytes()), around.find(&needle));
                let longest = long.repeat(repeats);
                let around = format!("{haystack}{longest}");
                prop_assert_eq!(super::text(longest.as_bytes(), around.as_bytes()), around.find(&longest));
            }
        }
    }
}
