//! Two things at once, where somebody waits for both.

use std::thread::{Builder, scope};

/// Does `aside` on a thread of its own and `here` on this one. Where no thread is to be had it is done here as well, and
/// what panics there panics here.
pub fn at_once<A: Send, B>(aside: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (A, B) {
    scope(|threads| {
        let Ok(thread) = Builder::new().spawn_scoped(threads, &aside) else { return (aside(), here()) };
        let here = here();
        (thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), here)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_and_a_panic_is_not_lost() {
        assert_eq!(at_once(|| 1, || 2), (1, 2));
        let panicking = || at_once(|| panic!("aside"), || 2).1;
        assert!(std::panic::catch_unwind(panicking).is_err());
    }
}
