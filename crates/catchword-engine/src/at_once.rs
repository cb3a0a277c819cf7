//! Work divided among two threads, where somebody waits for all of it.

use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope, yield_now};

/// Does `aside` on another thread and `here` on this one; where the other has not begun by then, all of it here.
pub fn at_once<A: Send + Sync, B>(aside: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    let (here, mut done) = divided(1, |_| aside(), here);
    (done.pop().unwrap_or_else(aside), here)
}

/// Does `first` here and each `part` below `count` on either thread: another one takes them from the beginning, and this
/// one, when it is done with `first`, from the end. Where no other is to be had all of it is done here, and what panics
/// there panics here.
pub fn divided<F, T: Send + Sync>(
    count: usize,
    part: impl Fn(usize) -> T + Sync,
    first: impl FnOnce() -> F,
) -> (F, Vec<T>) {
    let parts: Vec<(AtomicBool, OnceLock<T>)> = (0..count).map(|_| Default::default()).collect();
    let take = |at: usize| {
        let (is_taken, done) = &parts[at];
        if !is_taken.swap(true, Ordering::Relaxed) {
            let _ = done.set(part(at));
        }
    };
    let aside = || {
        let _above = make_room();
        (0..count).for_each(take);
    };
    let first = scope(|threads| {
        let aside = Builder::new().spawn_scoped(threads, aside);
        let first = first();
        (0..count).rev().for_each(take);
        aside.iter().for_each(wait_awake);
        first
    });
    (first, parts.into_iter().filter_map(|(_, done)| done.into_inner()).collect())
}

/// Both are done at about the same time. To be put to sleep and woken again takes longer than most of such waits; where
/// there is one processor only, the other thread gets it.
fn wait_awake(aside: &ScopedJoinHandle<()>) {
    // Less than a millisecond.
    for _ in 0..1_000 {
        if aside.is_finished() {
            break;
        }
        yield_now();
    }
}

/// The memory of a second thread grows by a page at a time with glibc, and each time the system stops both threads. What
/// is given back from below something that stays is kept for what comes: so it grows a few times only. Gives what stays.
fn make_room() -> Vec<u8> {
    /// Larger ones are taken from the system on their own.
    const BLOCK: usize = 120 << 10;
    /// More than lies about below.
    const ABOVE: usize = 16 << 10;
    if !cfg!(target_env = "gnu") {
        return Vec::new();
    }
    let room: [Vec<u8>; 3] = black_box([(); 3].map(|()| Vec::with_capacity(BLOCK)));
    let above = black_box(Vec::with_capacity(ABOVE));
    drop(room);
    above
}

/// Room on this thread for what is read of a long transcript. With glibc memory is else asked for by the page, and given
/// back as often; what was once given back in one piece is kept from then on, and a piece as large.
pub fn make_much_room() {
    const MUCH: usize = 4 << 20;
    if cfg!(target_env = "gnu") {
        drop(black_box(Vec::<u8>::with_capacity(2 * MUCH)));
        drop(black_box(Vec::<u8>::with_capacity(MUCH)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once_and_in_its_place() {
        for count in [0, 1, 2, 50] {
            let (first, parts) = divided(count, |at| at * 2, || "first");
            assert_eq!((first, parts), ("first", (0..count).map(|at| at * 2).collect()));
        }
    }

    #[test]
    fn both_are_done() {
        assert_eq!(at_once(|| 1, || 2), (1, 2));
    }

    #[test]
    fn a_panic_is_not_lost() {
        let panicking = || divided(9, |at| assert_ne!(at, 0, "a bug"), || ());
        assert!(std::panic::catch_unwind(panicking).is_err());
    }
}
