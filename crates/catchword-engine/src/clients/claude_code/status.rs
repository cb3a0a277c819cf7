//! A status line's stdin → [`StatusInput`].

use std::path::PathBuf;

use super::wire;
use super::wire::{StatusPayload, WireUsage};
use crate::clients::status::StatusInput;
use crate::model::tokens::StatusLineTokens;

/// Parses a payload; `None` if it is not a JSON object.
pub fn status(payload: &[u8]) -> Option<StatusInput> {
    let text = String::from_utf8_lossy(payload);
    let wire: StatusPayload = wire::read(text.trim_start_matches('\u{feff}'))?;
    let model = wire.model.unwrap_or_default();
    let context = wire.context_window.unwrap_or_default();
    let folder = wire.workspace.unwrap_or_default().current_dir;
    let path = |text: Option<String>| text.filter(|t| !t.is_empty()).map(PathBuf::from);
    Some(StatusInput {
        session: wire.session_id.unwrap_or_default(),
        transcript: path(wire.transcript_path),
        cwd: path(folder).or_else(|| path(wire.cwd)),
        model_name: model.display_name.filter(|name| !name.is_empty()),
        gauge: StatusLineTokens {
            model: model.id.filter(|id| !id.is_empty()),
            window: context.context_window_size.filter(|size| *size > 0),
            used: context.current_usage.as_ref().and_then(used),
        },
    })
}

/// The context including the latest answer; `None` if all counts are zero.
fn used(usage: &WireUsage) -> Option<u64> {
    let n = |tokens: Option<u64>| tokens.unwrap_or(0);
    let input = n(usage.input_tokens)
        .saturating_add(n(usage.cache_creation_input_tokens))
        .saturating_add(n(usage.cache_read_input_tokens));
    (input > 0).then(|| input.saturating_add(n(usage.output_tokens)))
}
