//! A note that the person types in place of a prompt: stored, and the prompt ends here, without a turn of the model.
//!
//! Whatever cannot be stored goes on to the model as if nobody had looked at it: the command's own text then asks the
//! model to call our tool. As the model gets nothing with a prompt that is stopped, nothing is given along with it.

use super::HookContext;
use crate::clients::hook_protocol::stop_prompt;
use crate::model::note::{Author, LONGEST_NOTE, NOTE_COMMAND, Note};
use crate::ops::catch_up::CatchUpError;

pub(super) fn store(hook: &mut HookContext, text: &str) -> Result<String, CatchUpError> {
    let characters = text.chars().count();
    let told = if text.is_empty() {
        format!(
            "catchword: nothing to note: write it behind the command, as in `{NOTE_COMMAND} ask before pushing`."
        )
    } else if characters > LONGEST_NOTE {
        format!(
            "catchword: not noted: a note has at most {LONGEST_NOTE} characters, this one has {characters}. Put it into \
             a file and note its path."
        )
    } else if hook.store.lasts() {
        let text = hook.mask.text(text).into_owned();
        let note = Note { at: hook.now, author: Author::Person, state: None, text };
        hook.store.add_note(&hook.event.session, &note)?;
        "catchword: noted for this session, without a turn of the agent. `catchword note` shows the notes."
            .to_owned()
    } else {
        return Ok(String::new());
    };
    Ok(stop_prompt(&told))
}
