//! Records the files in calls and their results: only paths that a tool opened, changed or printed.

use super::Session;
use super::files::Touch;
use super::paths::{is_by_product, joined, listed_path, whole_path};
use super::state::{Awaited, Pending};
use crate::model::entry::{Extra, Place};
use crate::reading::command::ShellLine;
use crate::reading::effects::{Effect, FileTarget, effects, first_folder};
use crate::reading::outcome::Outcome;
use crate::reading::report::{missing_paths, names_missing};
use crate::record::Deed;
use crate::text::words::is_path;

/// Maximum number of lines read from a search result.
const MAX_LISTED_LINES: usize = 800;

impl Session {
    /// Records the files of a finished call.
    pub(super) fn note_files(&mut self, pending: &Pending, ok: bool, text: &str, extra: &Extra) {
        let place = pending.place;
        match &pending.what {
            Awaited::Read { path } if ok => {
                let whole = whole_path(self.cwd.as_deref(), path);
                self.record.touched(place, self.clock, &whole, Deed::Read);
                self.touched(place, path, Touch::Read);
            }
            Awaited::Read { path } if names_missing(text) => {
                self.files.removed(&whole_path(self.cwd.as_deref(), path), false, self.clock);
            }
            Awaited::Edit { path, change, swap } if ok => {
                let path = whole_path(self.cwd.as_deref(), path);
                self.files.touch(&path, Touch::Edit, self.clock, place);
                if self.record.touched(place, self.clock, &path, Deed::Edited { swap: *swap }) {
                    self.files.taken_back(&path);
                }
            }
            Awaited::Write { path, lines } if ok => self.written(place, path, *lines, extra.created),
            Awaited::Delete { path } if ok => {
                self.files.removed(&whole_path(self.cwd.as_deref(), path), false, self.clock);
            }
            Awaited::Search { path, .. } if ok => {
                if let Some(path) = path.as_deref().filter(|path| is_path(path)) {
                    self.touched(place, path, Touch::Called);
                }
                let folder = self.cwd.clone().unwrap_or_default();
                self.listed(place, &folder, text);
            }
            _ => {}
        }
    }

    fn touched(&mut self, place: Place, path: &str, touch: Touch) {
        self.files.touch(&whole_path(self.cwd.as_deref(), path), touch, self.clock, place);
    }

    fn written(&mut self, place: Place, path: &str, lines: Option<u32>, created: bool) {
        let path = whole_path(self.cwd.as_deref(), path);
        let was_gone = self.files.there(&path);
        self.record.touched(place, self.clock, &path, Deed::Written { created });
        self.files.touch(&path, Touch::Write, self.clock, place);
        self.files.has_lines(&path, lines);
        if created && !was_gone {
            self.files.created(&path);
        }
    }

    /// Records the files that a search printed.
    fn listed(&mut self, place: Place, folder: &str, text: &str) {
        let paths: Vec<String> = text
            .lines()
            .take(MAX_LISTED_LINES)
            .filter_map(listed_path)
            .map(|path| joined(folder, path))
            .filter(|path| !is_by_product(path))
            .collect();
        for path in &paths {
            self.files.touch(path, Touch::Listed, self.clock, place);
        }
    }

    /// Records the files of a finished command line. `ended` says that it is not in the background.
    pub(super) fn note_shell_files(
        &mut self,
        place: Place,
        line: &ShellLine,
        cwd: &str,
        ended: bool,
        outcome: &Outcome,
    ) {
        let output = outcome.output;
        let succeeded = ended && outcome.is_done(line);
        let folder = joined(cwd, &first_folder(line));
        let missing: Vec<String> = missing_paths(output).map(|path| joined(&folder, path)).collect();
        for path in &missing {
            self.files.removed(path, false, self.clock);
        }
        if succeeded {
            if let [step] = line.steps()
                && step.searches()
            {
                self.listed(place, &folder, output);
            }
            if !self.is_trial(line, cwd) {
                self.git.ran(place, self.clock, line, cwd, output);
            }
        }
        // With errors discarded nobody knows which files were missing.
        let is_silenced = line.hides_errors();
        for effect in effects(line, succeeded, output) {
            self.took_effect(place, cwd, effect, |path| !is_silenced && !missing.contains(path));
        }
    }

    /// Records what a command did to a file. `was_there` says whether a path that was read or named exists.
    fn took_effect(&mut self, place: Place, cwd: &str, effect: Effect, was_there: impl Fn(&String) -> bool) {
        let whole = |target: &FileTarget| joined(&joined(cwd, &target.folder), &target.text);
        let clock = self.clock;
        match effect {
            Effect::Read(target) | Effect::Written(target) | Effect::Edited(target) if !target.plain => {}
            Effect::Read(target) if was_there(&whole(&target)) => {
                self.files.touch(&whole(&target), Touch::Read, clock, place);
            }
            Effect::Named(target) if target.plain && was_there(&whole(&target)) => {
                self.files.touch(&whole(&target), Touch::Called, clock, place);
            }
            Effect::Read(_) | Effect::Named(_) => {}
            Effect::Written(target) => {
                self.record.touched(place, clock, &whole(&target), Deed::Written { created: false });
                self.files.touch(&whole(&target), Touch::Write, clock, place);
            }
            Effect::Edited(target) => {
                self.record.touched(place, clock, &whole(&target), Deed::Edited { swap: None });
                self.files.touch(&whole(&target), Touch::Edit, clock, place);
            }
            Effect::Anything => self.files.all_there(),
            Effect::Removed { target, whole: all } if target.plain || self.files.knows(&whole(&target)) => {
                self.record.touched(place, clock, &whole(&target), Deed::Removed);
                self.files.removed(&whole(&target), all, clock);
            }
            Effect::Removed { target, .. } => {
                for file in self.files.matching(&whole(&target)) {
                    self.files.removed(&file, false, clock);
                }
            }
            Effect::Moved { to, .. } if !to.plain => {}
            Effect::Moved { from, to, several } if from.plain || self.files.knows(&whole(&from)) => {
                let into = several || to.text.ends_with(['/', '.']);
                self.record.touched(place, clock, &format!("{} → {}", whole(&from), whole(&to)), Deed::Moved);
                self.files.moved(&whole(&from), &whole(&to), into, clock, place);
            }
            Effect::Moved { from, to, .. } => {
                for file in self.files.matching(&whole(&from)) {
                    self.files.moved(&file, &whole(&to), true, clock, place);
                }
            }
        }
    }
}
