//! An edit that puts back exactly what an earlier one took out: the file is as if neither had been made.

use crate::record::{Deed, Kind, Record, Standing};

/// Events that are looked back at: nearly all reversals come within a few edits.
const LOOK_BACK: usize = 400;

pub fn apply(log: &mut Record, at: usize) {
    let new = log.get(at);
    let Kind::Touched(Deed::Edited { swap: Some(new_swap) }) = new.what else { return };
    let (place, path) = (new.place, new.words.clone());
    let is_undone = |earlier: &usize| {
        let seen = log.get(*earlier);
        seen.state.holds()
            && seen.words == path
            && matches!(seen.what, Kind::Touched(Deed::Edited { swap: Some(swap) }) if new_swap.takes_back(swap))
    };
    let earlier = log.events.iter().rev().map(|event| event.at as usize).filter(|earlier| *earlier < at);
    let earlier = earlier.take(LOOK_BACK).find(is_undone);
    if let Some(earlier) = earlier {
        log.set(earlier, Standing::Withdrawn(place));
        log.set(at, Standing::Withdrawn(place));
    }
}
