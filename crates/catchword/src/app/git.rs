//! The current state of a folder's repository, from git, with a deadline.
//!
//! Git runs at starts, around a compaction, for a warning to the person, at the end, and for commands; never on a tick.
//!
//! A repository can name programs in its settings and attributes, and git runs them. The folder may be a stranger's
//! clone. So every call runs at the root that we found ourselves (a bare repository inside a clone does not count),
//! without git's environment variables, with every setting overridden that makes `status`, `diff` or `log` run a
//! program, without any protocol to fetch with, and takes no lock that the agent could want. Filters have arbitrary
//! names: they are listed first, and each is overridden with nothing. If something cannot be overridden, git is not
//! run. `tests/it/hostile/repositories.rs` has the attacks.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use catchword_engine::choose::{DiffStat, WorkTree};
use catchword_engine::ops::hook::{ForeignCommit, Since};
use catchword_engine::project::BranchFate;
use catchword_engine::redact::Mask;
use catchword_engine::text::cut::first_chars;

use crate::app::env::{self, Env};
use crate::app::host;
use crate::app::process::{RunLimits, RunningProcess, on_path};

/// How long git may take to list its settings, and then to answer. If a large repository takes longer, its state is
/// left out; `CATCHWORD_GIT_MS` allows more.
const DEADLINE_MS: u64 = 300;
/// Most changed files read.
const MAX_CHANGED_FILES: usize = 200;
/// Most bytes of output read.
const OUTPUT: u64 = 4 << 20;

/// Settings for every call. They override those of the repository, the user and the system.
const OVERRIDES: &[&str] = &[
    // Empty, not `false`: before 2.36 the value was a program.
    "core.fsmonitor=",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "diff.external=",
    "log.showSignature=false",
    "log.mailmap=false",
    // A partial clone fetches what it lacks.
    "protocol.allow=never",
    "core.sshCommand=",
    "core.gitProxy=",
    "core.askPass=",
    "core.alternateRefsCommand=",
    "credential.helper=",
];
/// The same as environment variables.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // An empty list: no protocol is allowed.
    ("GIT_ALLOW_PROTOCOL", ""),
];

/// A work tree that git can be run on.
struct Repository<'a> {
    root: &'a Path,
    /// The program: never one of the work tree itself.
    git: PathBuf,
    /// The names of all configured filters.
    filters: Vec<String>,
    until: Instant,
}

impl<'a> Repository<'a> {
    fn around(folder: &'a Path, env: &Env) -> Option<Self> {
        // No need to run git to see whether there is a repository.
        let root = host::work_tree(folder).filter(|root| root.is_absolute() && !is_git_folder(root))?;
        let git = on_path("git", &env.path, host::foreign_tree(env, root).as_deref())?;
        let deadline = Duration::from_millis(env.git_ms.unwrap_or(DEADLINE_MS));
        let until = Instant::now() + deadline;
        let mut repository = Repository { root, git, filters: Vec::new(), until };
        let settings = repository.ask(&["config", "--list", "--name-only", "-z"], b"")?;
        repository.filters = filters(&settings)?;
        // On a busy machine the listing may have taken most of the time.
        repository.until = Instant::now() + deadline;
        Some(repository)
    }

    fn ask(&self, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
        let mut git = Command::new(&self.git);
        // Not in the work tree: a relative folder in `PATH` must not find programs there.
        git.current_dir("/").arg("-C").arg(self.root).arg("--no-pager");
        for setting in OVERRIDES {
            git.args(["-c", setting]);
        }
        for name in &self.filters {
            for setting in ["clean=", "smudge=", "process=", "required=false"] {
                git.args(["-c", &format!("filter.{name}.{setting}")]);
            }
        }
        for variable in env::git_variables() {
            git.env_remove(variable);
        }
        git.envs(VARIABLES.iter().copied());
        if let Some(above) = self.root.parent() {
            git.env("GIT_CEILING_DIRECTORIES", above);
        }
        git.args(arguments);
        let limits = RunLimits { time: self.until.saturating_duration_since(Instant::now()), output: OUTPUT };
        RunningProcess::start(&mut git, (!input.is_empty()).then(|| input.to_vec()), limits)?.output()
    }

    fn text(&self, arguments: &[&str]) -> Option<String> {
        Some(String::from_utf8_lossy(&self.ask(arguments, b"")?).into_owned())
    }

    fn log(&self, arguments: &[&str]) -> Option<String> {
        let fixed = ["log", "--no-show-signature", "--no-patch", "--no-ext-diff", "--no-textconv"];
        self.text(&[&fixed, arguments].concat())
    }

    /// The diff between the work tree and its commit; `None` if no time is left.
    fn stat(&self) -> Option<DiffStat> {
        let arguments = [
            "diff",
            "--shortstat",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--ignore-submodules=all",
            "HEAD",
            "--",
        ];
        shortstat(&self.text(&arguments)?)
    }

    /// Files and folders that git neither tracks nor ignores; `None` if no time is left.
    fn untracked(&self) -> Option<Vec<String>> {
        let arguments =
            ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z"];
        let listed = self.text(&arguments)?;
        let names = listed.split('\0').filter(|name| !name.is_empty());
        Some(names.take(MAX_CHANGED_FILES).map(str::to_owned).collect())
    }

    /// Those of `paths` whose content only a filter could compare.
    fn filtered(&self, paths: &[&str]) -> Option<Vec<String>> {
        if self.filters.is_empty() || paths.is_empty() {
            return Some(Vec::new());
        }
        let answer = self.ask(&["check-attr", "-z", "--stdin", "filter"], paths.join("\0").as_bytes())?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let fields: Vec<&str> = answer.split('\0').collect();
        let named = |field: &&[&str]| self.filters.iter().any(|filter| filter == field[2]);
        Some(fields.chunks_exact(3).filter(named).map(|field| field[0].to_owned()).collect())
    }
}

/// Whether a folder is itself a git directory: git would read its settings. Versions before 2.38 do not know
/// `safe.bareRepository`.
fn is_git_folder(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists())
}

/// The filters named in a list of settings; `None` if one cannot be overridden on a command line, which splits at the
/// first `=`.
fn filters(settings: &[u8]) -> Option<Vec<String>> {
    let settings = std::str::from_utf8(settings).ok()?;
    let of = |key: &str| Some(key.strip_prefix("filter.")?.rsplit_once('.')?.0.to_owned());
    let mut names: Vec<String> = settings.split('\0').filter_map(of).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().all(|name| !name.contains('=')).then_some(names)
}

/// The branch, the commit and the changed files of the work tree around `folder`; `None` outside a repository, without
/// git, or if it takes too long. A file with a filter (Git LFS) counts once it is staged: before that, only the filter
/// could tell whether it differs.
pub fn look(folder: &Path, env: &Env) -> Option<WorkTree> {
    let repository = Repository::around(folder, env)?;
    let status =
        ["status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all", "-z"];
    let status = repository.text(&status)?;
    let GitStatus { branch, head, changed } = parsed(&status);
    let unstaged: Vec<&str> = changed.iter().filter(|file| !file.staged).map(|file| file.path).collect();
    let filtered = repository.filtered(&unstaged)?;
    let is_sure = |file: &&ChangedFile| file.staged || !filtered.iter().any(|path| path == file.path);
    let changed: Vec<&ChangedFile> = changed.iter().filter(is_sure).collect();
    let paths = |files: &[&ChangedFile]| files.iter().map(|file| file.path.to_owned()).collect::<Vec<_>>();
    let staged: Vec<&ChangedFile> = changed.iter().copied().filter(|file| file.staged).collect();
    // Filtered files have other lines in the work tree than in the commit.
    let stat = head.filter(|_| !changed.is_empty() && filtered.is_empty()).and_then(|_| repository.stat());
    let untracked = repository.untracked().unwrap_or_default();
    let tree = WorkTree::new(branch, head.map(str::to_owned), &paths(&changed), &env.mask);
    Some(tree.with_details(&paths(&staged), &untracked, stat, &env.mask))
}

/// Commits since then, latest first; empty if git does not answer in time.
pub fn commits(folder: &Path, since: &Since, env: &Env) -> Vec<ForeignCommit> {
    const LOG: [&str; 2] = ["--max-count=50", "--format=%h%x09%s"];
    let Some(repository) = Repository::around(folder, env) else { return Vec::new() };
    let hash = since.head.as_deref().filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
    let after = hash.and_then(|hash| repository.log(&[LOG[0], LOG[1], &format!("{hash}..HEAD")]));
    let log = after.or_else(|| {
        let time = jiff::Timestamp::from_millisecond(since.time).ok()?.strftime("%Y-%m-%dT%H:%M:%SZ");
        repository.log(&[LOG[0], LOG[1], &format!("--since={time}")])
    });
    let log = log.unwrap_or_default();
    let commit = |(hash, subject): (&str, &str)| ForeignCommit {
        hash: hash.into(),
        subject: subject.to_owned().into(),
    };
    log.lines().filter_map(|line| line.split_once('\t')).map(commit).collect()
}

/// Subjects of the latest commits; empty outside a repository or without git. Only for commands that people run.
pub fn subjects(folder: &Path, env: &Env) -> Vec<String> {
    let log = Repository::around(folder, env).and_then(|git| git.log(&["--max-count=200", "--format=%s"]));
    log.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// The branch checked out around `folder`, masked, without running git: from the first `.git` above it. A detached head
/// is shown by its commit.
pub fn branch(folder: &Path, mask: &Mask) -> Option<String> {
    let above = host::work_tree(folder)?;
    let git = above.join(".git");
    let git = if git.is_dir() {
        git
    } else {
        // A linked work tree or a submodule: the file says where its HEAD is.
        above.join(start_of(&git)?.strip_prefix("gitdir:")?.trim())
    };
    let head = start_of(&git.join("HEAD"))?;
    let head = head.trim();
    let name = head.strip_prefix("ref:").map_or_else(
        || first_chars(head, 7).to_owned(),
        |name| name.trim().trim_start_matches("refs/heads/").to_owned(),
    );
    (!name.is_empty()).then(|| mask.text(&name).into_owned())
}

/// What became of a branch of the work tree around `folder`; nothing is known without git or time.
pub fn fate_of(folder: &Path, branch: &str, env: &Env) -> BranchFate {
    // Git would take these for a pattern.
    if branch.is_empty() || branch.contains(['*', '?', '[', '\\']) {
        return BranchFate::Unknown;
    }
    let Some(repository) = Repository::around(folder, env) else { return BranchFate::Unknown };
    let name = format!("refs/heads/{branch}");
    // A pattern also finds what lies below it.
    let listed = |arguments: &[&str]| {
        let all =
            repository.text(&[&["for-each-ref", "--format=%(refname)"], arguments, &[&name]].concat())?;
        Some(all.lines().any(|line| line == name))
    };
    match (listed(&[]), listed(&["--merged=HEAD"])) {
        (Some(false), _) => BranchFate::Gone,
        (Some(true), Some(true)) => BranchFate::Merged,
        (Some(true), Some(false)) => BranchFate::Open,
        _ => BranchFate::Unknown,
    }
}

/// The first kilobytes of a small file. In an unpacked archive it may be a pipe, a device or a gigabyte.
fn start_of(path: &Path) -> Option<String> {
    const MOST: u64 = 4096;
    let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
    let mut text = Vec::new();
    is_file.then(|| File::open(path).ok()?.take(MOST).read_to_end(&mut text).ok()).flatten()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// ` 2 files changed, 40 insertions(+), 2 deletions(-)`; git omits zeros.
fn shortstat(line: &str) -> Option<DiffStat> {
    let mut stat = DiffStat::default();
    for part in line.trim().split(", ") {
        let (count, what) = part.split_once(' ')?;
        let count = count.parse().ok()?;
        match what {
            what if what.starts_with("file") => stat.files = count,
            what if what.starts_with("insertion") => stat.insertions = count,
            what if what.starts_with("deletion") => stat.deletions = count,
            _ => return None,
        }
    }
    (stat.files > 0).then_some(stat)
}

/// The output of `git status`.
#[derive(Debug, Default, PartialEq, Eq)]
struct GitStatus<'a> {
    branch: Option<&'a str>,
    head: Option<&'a str>,
    changed: Vec<ChangedFile<'a>>,
}

/// A changed file. One that is not staged differs only in the work tree.
#[derive(Debug, PartialEq, Eq)]
struct ChangedFile<'a> {
    path: &'a str,
    staged: bool,
}

/// Entries end in NUL; a rename's old name is an entry of its own. The file name is the last field, after a number of
/// fields that depends on the kind of entry.
fn parsed(output: &str) -> GitStatus<'_> {
    let mut status = GitStatus::default();
    let mut entries = output.split('\0').filter(|e| !e.is_empty());
    while let Some(entry) = entries.next() {
        let (kind, rest) = entry.split_once(' ').unwrap_or((entry, ""));
        let fields = match kind {
            "#" => {
                match rest.split_once(' ') {
                    Some(("branch.oid", hash)) if hash != "(initial)" => status.head = Some(hash),
                    Some(("branch.head", name)) if name != "(detached)" => status.branch = Some(name),
                    _ => {}
                }
                continue;
            }
            "1" => 7,
            "2" => {
                entries.next();
                8
            }
            "u" => 9,
            _ => continue,
        };
        let path = rest.splitn(fields + 1, ' ').nth(fields);
        if status.changed.len() < MAX_CHANGED_FILES {
            status.changed.extend(path.map(|path| ChangedFile { path, staged: !rest.starts_with('.') }));
        }
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::files::{self, Access};
    use catchword_engine::redact::SECRETS;

    #[test]
    fn status_is_read_with_renames_and_odd_names() {
        let status = parsed(
            "# branch.oid 1f0c\0# branch.head feat/x\0# branch.upstream origin/feat/x\0# branch.ab +1 -0\0\
             1 .M N... 100644 100644 100644 a1 a1 src/a b.rs\0\
             2 R. N... 100644 100644 100644 a1 a1 R100 new.rs\0old.rs\0\
             u UU N... 100644 100644 100644 100644 a1 a2 a3 both.rs\0\
             1 MM N... 100644 100644 100644 a1 a1 Größe.md\0",
        );
        assert_eq!((status.branch, status.head), (Some("feat/x"), Some("1f0c")));
        let files: Vec<(&str, bool)> = status.changed.iter().map(|file| (file.path, file.staged)).collect();
        assert_eq!(files, [("src/a b.rs", false), ("new.rs", true), ("both.rs", true), ("Größe.md", true)]);
        assert_eq!(parsed("# branch.oid (initial)\0# branch.head (detached)\0"), GitStatus::default());
    }

    #[test]
    fn a_short_stat_is_read_with_and_without_its_parts() {
        let stat = |files, insertions, deletions| Some(DiffStat { files, insertions, deletions });
        assert_eq!(shortstat(" 2 files changed, 40 insertions(+), 2 deletions(-)\n"), stat(2, 40, 2));
        assert_eq!(shortstat(" 1 file changed, 1 deletion(-)\n"), stat(1, 0, 1));
        assert_eq!(shortstat(""), None);
        assert_eq!(shortstat("fatal: not a git repository"), None);
    }

    #[test]
    fn staged_and_untracked_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let fixed = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=trunk"];
            let done =
                Command::new("git").current_dir(folder.path()).args(fixed).args(args).output().unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        let write = |name: &str, text: &str| {
            files::replace(&folder.path().join(name), text.as_bytes(), Access::Usual).unwrap();
        };
        git(&["init"]);
        for name in ["a.rs", "b.rs"] {
            write(name, "one\ntwo\n");
        }
        git(&["add", "."]);
        git(&["commit", "-m", "x"]);
        write("a.rs", "one\ntwo\nthree\n");
        git(&["add", "a.rs"]);
        write("b.rs", "one\n");
        write("notes.md", "new\n");
        let env = Env { git_ms: Some(20_000), ..Env::from_process() };
        let tree = look(folder.path(), &env).unwrap();
        assert_eq!(tree.changed, ["a.rs", "b.rs"]);
        assert_eq!((tree.staged, tree.untracked), (vec!["a.rs".to_owned()], vec!["notes.md".to_owned()]));
        assert_eq!(tree.stat, Some(DiffStat { files: 2, insertions: 1, deletions: 1 }));
    }

    #[test]
    fn filters_are_listed_and_one_that_cannot_be_overridden_stops_git() {
        let found =
            filters(b"core.bare\0filter.lfs.clean\0filter.lfs.process\0filter.a.b.clean\0filter.clean\0");
        assert_eq!(found, Some(vec!["a.b".to_owned(), "lfs".to_owned()]));
        assert_eq!(filters(b"filter.a=b.clean\0"), None);
        assert_eq!(filters(b"filter.\xff.clean\0"), None);
    }

    #[test]
    fn no_state_outside_a_repository() {
        // Inside of one there is a state: `staged_and_untracked_files_are_told_apart`.
        assert_eq!(look(tempfile::tempdir().unwrap().path(), &Env::default()), None);
    }

    #[test]
    fn the_branch_is_read_from_a_checkout_and_from_a_work_tree() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
        let git = |folder: &Path, args: &[&str]| {
            let fixed = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=trunk"];
            let done = Command::new("git").current_dir(folder).args(fixed).args(args).output().unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        std::fs::create_dir_all(main.join("a/b")).unwrap();
        git(&main, &["init"]);
        assert_eq!(branch(&main.join("a/b"), SECRETS).as_deref(), Some("trunk"), "before the first commit");
        git(&main, &["commit", "--allow-empty", "-m", "x"]);
        git(&main, &["worktree", "add", "-b", "feat/x", tree.to_str().unwrap()]);
        assert_eq!(branch(&tree, SECRETS).as_deref(), Some("feat/x"));
        git(&main, &["checkout", "--detach"]);
        assert_eq!(branch(&main, SECRETS).map(|commit| commit.len()), Some(7));
        assert_eq!(branch(folder.path(), SECRETS), None);
    }

    /// Reading a pipe would block, and a device would never end.
    #[cfg(unix)]
    #[test]
    fn pipe_or_device_in_place_of_a_git_file_gives_no_branch() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        let device = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        let kinds: [&dyn Fn(&Path); 2] = [&pipe, &device];
        for (number, make) in kinds.iter().enumerate() {
            for name in [".git", ".git/HEAD"] {
                let root = folder.path().join(format!("{number}{}", name.len()));
                std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
                make(&root.join(name));
                let (sender, answer) = std::sync::mpsc::channel();
                std::thread::spawn(move || sender.send(branch(&root, SECRETS)));
                assert_eq!(answer.recv_timeout(Duration::from_secs(20)), Ok(None), "{number} {name}");
            }
        }
    }

    #[test]
    fn only_the_start_of_a_head_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let long = format!("ref: refs/heads/{}", "x".repeat(1 << 20));
        files::replace(&folder.path().join(".git/HEAD"), long.as_bytes(), Access::Usual).unwrap();
        assert!(branch(folder.path(), SECRETS).unwrap().len() < 5000);
    }
}
