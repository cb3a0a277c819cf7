//! The one hash for everything that is compared by number: 64-bit FNV-1a.
//!
//! Snapshots, cursors and file names keep these numbers across versions of catchword, and the standard hasher does not
//! promise stable results. Do not use it where an attacker could gain from a collision: backups use `blake3`.

/// The hash of the empty input; every hash starts from it.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// 64-bit FNV-1a.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_on(FNV_START, bytes.iter().copied())
}

/// Continues an FNV-1a hash with more bytes.
pub fn fnv1a_on(hash: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A hash folded to 32 bits.
pub fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_match_the_published_test_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(folded(0x0000_0001_0000_0002), 3);
    }

    #[test]
    fn hashing_in_two_steps_equals_hashing_at_once() {
        assert_eq!(fnv1a_on(fnv1a(b"foo"), b"bar".iter().copied()), fnv1a(b"foobar"));
    }
}
