//! Work in pieces: several threads do them, and one takes in what comes of them, in their order.
//!
//! Whoever takes in does pieces as well while the next one is not done: on a machine of two cores two threads are at work,
//! and hardly ever does one have to be woken, which takes a virtual machine longer than many a piece of work.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Pieces of work, and what has been made of them.
pub struct Desk<T> {
    pieces: u64,
    /// Pieces that may be done before those before them are taken in.
    ahead: u64,
    tray: Mutex<Tray<T>>,
    changed: Condvar,
}

struct Tray<T> {
    /// The next piece that nobody does yet.
    next: u64,
    done: BTreeMap<u64, T>,
    /// Pieces that were taken in.
    taken_in: u64,
    /// Nobody wants any more.
    is_closed: bool,
    /// Threads that wait for a change.
    waiting: usize,
}

/// Closes a desk when it goes: nobody waits at one that was left, however it was left.
pub struct Closing<'a, T>(&'a Desk<T>);

impl<T> Drop for Closing<'_, T> {
    fn drop(&mut self) {
        self.0.tray().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl<T> Desk<T> {
    /// So many pieces, of which so many may be done ahead.
    pub fn new(pieces: u64, ahead: u64) -> Self {
        let tray = Tray { next: 0, done: BTreeMap::new(), taken_in: 0, is_closed: false, waiting: 0 };
        Desk { pieces, ahead, tray: Mutex::new(tray), changed: Condvar::new() }
    }

    /// To be held by whoever takes in.
    pub fn closing(&self) -> Closing<'_, T> {
        Closing(self)
    }

    /// Does pieces until there are none left.
    pub fn work(&self, mut make: impl FnMut(u64) -> T) {
        let unless_it_panics = self.closing();
        let mut tray = self.tray();
        while !tray.is_closed && tray.next < self.pieces {
            tray = self.go_on(tray, &mut make);
        }
        drop(tray);
        std::mem::forget(unless_it_panics);
    }

    /// What comes of the next piece in order; `None` behind the last one.
    pub fn next(&self, mut make: impl FnMut(u64) -> T) -> Option<T> {
        let mut tray = self.tray();
        while !tray.is_closed && tray.taken_in < self.pieces {
            let wanted = tray.taken_in;
            if let Some(result) = tray.done.remove(&wanted) {
                tray.taken_in += 1;
                // Not for every piece: half of them can be done at a stretch.
                if tray.waiting > 0 && tray.next - tray.taken_in <= self.ahead / 2 {
                    self.changed.notify_all();
                }
                return Some(result);
            }
            tray = self.go_on(tray, &mut make);
        }
        None
    }

    /// Does a piece where there is one to do, and waits for a change where there is none.
    fn go_on<'a>(
        &'a self,
        mut tray: MutexGuard<'a, Tray<T>>,
        make: &mut impl FnMut(u64) -> T,
    ) -> MutexGuard<'a, Tray<T>> {
        let Some(piece) = self.begin(&mut tray) else { return self.wait(tray) };
        drop(tray);
        let result = make(piece);
        self.put(piece, result)
    }

    /// The next piece for whoever asks, where there is one that is not too far ahead.
    fn begin(&self, tray: &mut Tray<T>) -> Option<u64> {
        let piece = tray.next;
        let is_near = piece < self.pieces && piece - tray.taken_in < self.ahead;
        tray.next += u64::from(is_near);
        is_near.then_some(piece)
    }

    fn put(&self, piece: u64, result: T) -> MutexGuard<'_, Tray<T>> {
        let mut tray = self.tray();
        tray.done.insert(piece, result);
        if tray.waiting > 0 {
            self.changed.notify_all();
        }
        tray
    }

    fn wait<'a>(&'a self, mut tray: MutexGuard<'a, Tray<T>>) -> MutexGuard<'a, Tray<T>> {
        tray.waiting += 1;
        let mut tray = self.changed.wait(tray).unwrap_or_else(PoisonError::into_inner);
        tray.waiting -= 1;
        tray
    }

    fn tray(&self) -> MutexGuard<'_, Tray<T>> {
        self.tray.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    #[test]
    fn pieces_are_taken_in_in_their_order_each_once_whoever_does_them() {
        for (threads, ahead) in [(0, 1), (1, 1), (1, 3), (3, 2), (4, 16)] {
            let desk = Desk::new(500, ahead);
            let furthest = AtomicU64::new(0);
            let make = |piece: u64| {
                furthest.fetch_max(piece, Ordering::Relaxed);
                piece * 2
            };
            let taken = std::thread::scope(|scope| {
                let _closing = desk.closing();
                for _ in 0..threads {
                    scope.spawn(|| desk.work(make));
                }
                let mut taken = Vec::new();
                while let Some(made) = desk.next(make) {
                    let done = furthest.load(Ordering::Relaxed);
                    assert!(done <= taken.len() as u64 + ahead, "{done} at {}", taken.len());
                    taken.push(made);
                }
                taken
            });
            assert_eq!(taken, (0..500).map(|piece| piece * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn whoever_takes_in_may_leave_and_nobody_waits() {
        let desk = Desk::new(1_000, 2);
        std::thread::scope(|scope| {
            let _closing = desk.closing();
            for _ in 0..3 {
                scope.spawn(|| desk.work(|piece| piece));
            }
            assert_eq!((desk.next(|piece| piece), desk.next(|piece| piece)), (Some(0), Some(1)));
        });
    }

    #[test]
    fn a_panic_ends_it_and_is_not_lost() {
        let desk = Desk::new(100, 4);
        let begun = AtomicBool::new(false);
        let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let _closing = desk.closing();
                scope.spawn(|| {
                    desk.work(|_| {
                        begun.store(true, Ordering::Relaxed);
                        panic!("a piece")
                    });
                });
                let once_it_has_begun = |_| {
                    while !begun.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                };
                while let Some(()) = desk.next(once_it_has_begun) {}
            });
        }));
        assert!(panics.is_err());
    }

    #[test]
    fn nothing_to_do_is_done_at_once() {
        assert_eq!(Desk::<u64>::new(0, 3).next(|piece| piece), None);
    }
}
