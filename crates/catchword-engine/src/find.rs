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

/// Bytes that are looked at together.
const BLOCK: usize = 32;

/// How far from `at` on no quote can close the string that begins at `start`: each has one backslash before it, or three.
/// Written so that the compiler compares many bytes at once, where `memchr` would stop at each quote.
pub fn near_a_closing_quote(text: &[u8], mut at: usize, start: usize) -> usize {
    let block = |from: usize| text.get(from..from + BLOCK).and_then(|block| block.try_into().ok());
    while at >= start + 4
        && let (Some(signs), Some(before)) = (block(at), preceding(text, at))
        && !may_close(signs, before)
    {
        at += BLOCK;
    }
    at
}

/// The blocks that begin one to four bytes before `at`.
fn preceding(text: &[u8], at: usize) -> Option<[&[u8; BLOCK]; 4]> {
    let block = |back: usize| text.get(at - back..at - back + BLOCK)?.try_into().ok();
    Some([block(1)?, block(2)?, block(3)?, block(4)?])
}

/// Whether one of the signs is a quote that an even number of backslashes stands before, or more than three.
fn may_close(signs: &[u8; BLOCK], [one, two, three, four]: [&[u8; BLOCK]; 4]) -> bool {
    let is = |block: &[u8; BLOCK], at: usize, sign: u8| u8::from(block[at] == sign);
    let mut found = 0;
    for at in 0..BLOCK {
        let escapes = |block| is(block, at, b'\\');
        let not_odd = 1 ^ escapes(one) | (escapes(two) & (1 ^ escapes(three) | escapes(four)));
        found |= is(signs, at, b'"') & not_odd;
    }
    found != 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn quotes_inside_a_string_are_passed_over_many_at_once() {
        let text = r#"\"word\" = \\\"1\\\"; "#.repeat(40);
        let near = super::near_a_closing_quote(text.as_bytes(), 4, 0);
        assert!(near + 64 > text.len(), "{near} of {}", text.len());
    }

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

        #[test]
        fn no_quote_that_closes_a_string_is_passed_over(
            text in r#"([a-z]{0,40}|\\{0,6}"){0,30}[a-z]{0,70}"#,
            from in 0..40_usize,
        ) {
            let text = text.as_bytes();
            let closes = |at: &usize| {
                let escapes = text[..*at].iter().rev().take_while(|byte| **byte == b'\\').count();
                text[*at] == b'"' && escapes % 2 == 0
            };
            let near = super::near_a_closing_quote(text, from, 0);
            let first = (from..text.len()).find(closes).unwrap_or(text.len().max(from));
            prop_assert!(from <= near && near <= first, "{near} {first}");
        }
    }
}
