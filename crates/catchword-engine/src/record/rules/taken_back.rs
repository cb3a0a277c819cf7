//! An edit that puts back exactly what an earlier one took out: the file is as if neither had been made.

use crate::record::{Deed, Kind, Record, Standing};

/// Edits of a file that are compared, latest first: nearly all reversals come within a few edits.
const LOOK_BACK: usize = 400;

pub fn apply(log: &mut Record, at: usize) {
    let new = log.get(at);
    let Kind::Touched(Deed::Edited { swap: Some((out, put_in)) }) = new.what else { return };
    let (place, path) = (new.place, new.words.clone());
    let is_undone = |earlier: &usize| {
        let seen = log.get(*earlier);
        seen.state.holds()
            && seen.words == path
            && out != put_in
            && matches!(seen.what, Kind::Touched(Deed::Edited { swap: Some(swap) }) if swap == (put_in, out))
    };
    let earlier = (at.saturating_sub(LOOK_BACK)..at).rev().find(is_undone);
    if let Some(earlier) = earlier {
        log.set(earlier, Standing::Withdrawn(place));
        log.set(at, Standing::Withdrawn(place));
    }
}
