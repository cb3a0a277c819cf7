//! One hash for everything that is compared by number: 64-bit FNV-1a.
//!
//! Snapshots, cursors and file names keep these numbers from one version of catchword to the next, and the standard
//! hasher promises no stable result. Not for anything an attacker could gain from: backups use `blake3`.

/// The hash of no bytes, from which every other begins.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// 64-bit FNV-1a.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv1a_on(FNV_START, bytes.iter().copied())
}

/// FNV-1a of more bytes, after those that gave `hash`.
pub fn fnv1a_on(hash: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A hash in half the space.
pub fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_published_test_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(folded(0x0000_0001_0000_0002), 3);
    }

    #[test]
    fn a_hash_can_be_continued() {
        assert_eq!(fnv1a_on(fnv1a(b"foo"), b"bar".iter().copied()), fnv1a(b"foobar"));
    }
}
