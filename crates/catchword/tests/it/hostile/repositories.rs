//! Repositories that run their own code when git is used in them. No hook and no command may trigger that.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use catchword_testkit::{HookPlayer, SESSION, TestEnv, Transcript, files};

use crate::hook::BIN;

/// One repository. `set` runs in it with `$EVIL` (a program that leaves the mark), `$MARK` and `$OUT` (a folder outside
/// the repository). `plain` is a shell line that leaves the mark, which proves that the trap works.
struct Trap {
    name: &'static str,
    set: &'static str,
    /// Where the session is, below the repository.
    folder: &'static str,
    variables: &'static [(&'static str, &'static str)],
    plain: &'static str,
}

const STATUS: &str = "git status";
const STAT: &str = "git diff --shortstat HEAD";
const NEVER: &str = "";

const fn trap(name: &'static str, plain: &'static str, set: &'static str) -> Trap {
    Trap { name, set, folder: "", variables: &[], plain }
}

const FILTERED: &str = "echo '*.txt filter=x' > .gitattributes";

const TRAPS: &[Trap] = &[
    trap("filter: clean", STATUS, r#"$FILTERED; git config filter.x.clean "$EVIL""#),
    trap("filter: process", STATUS, r#"$FILTERED; git config filter.x.process "$EVIL""#),
    trap(
        "filter: smudge",
        "rm a.txt; git checkout a.txt",
        r#"$FILTERED; git config filter.x.smudge "$EVIL""#,
    ),
    trap(
        "filter: required",
        STATUS,
        r#"$FILTERED; git config filter.x.clean "$EVIL"; git config filter.x.required true"#,
    ),
    trap(
        "filter: attributes inside .git",
        STATUS,
        r#"echo '* filter=x' > .git/info/attributes; git config filter.x.clean "$EVIL""#,
    ),
    trap(
        "filter: a name with =",
        STATUS,
        r#"echo '*.txt filter=a=b' > .gitattributes; printf '[filter "a=b"]\n clean = %s\n' "$EVIL" >> .git/config"#,
    ),
    trap(
        "filter: a name with spaces, quotes and line ends' signs",
        STATUS,
        r#"printf '*.txt filter=x"\\\\ny\n' > .gitattributes; printf '[filter "x\\"\\\\\\\\ny"]\n clean = %s\n' "$EVIL" >> .git/config"#,
    ),
    trap(
        "filter: upper case keys",
        STATUS,
        r#"echo '*.txt filter=X.Y' > .gitattributes; printf '[FILTER "X.Y"]\n CLEAN = %s\n' "$EVIL" >> .git/config"#,
    ),
    trap("filter: of the user", STATUS, r#"$FILTERED; git config --global filter.x.clean "$EVIL""#),
    trap(
        "filter: a lookalike of Git LFS",
        STATUS,
        r#"echo '*.txt filter=lfs -text' > .gitattributes
           git config --global filter.lfs.clean cat; git config --global filter.lfs.required true
           git config filter.lfs.clean "$EVIL"; git config filter.lfs.process "$EVIL""#,
    ),
    trap(
        "include.path",
        STATUS,
        r#"$FILTERED; git config -f more filter.x.clean "$EVIL"; git config include.path ../more"#,
    ),
    trap(
        "includeIf",
        STATUS,
        r#"$FILTERED; git config -f more core.fsmonitor "$EVIL"; git config includeIf.onbranch:main.path ../more"#,
    ),
    trap(
        "config.worktree",
        STATUS,
        r#"$FILTERED; git config extensions.worktreeConfig true; git config --worktree filter.x.clean "$EVIL""#,
    ),
    trap("fsmonitor", STATUS, r#"git config core.fsmonitor "$EVIL""#),
    trap("fsmonitor of a submodule", STATUS, r#"$SUBMODULE; git -C sub config core.fsmonitor "$EVIL""#),
    trap(
        "filter of a submodule",
        STATUS,
        r#"$SUBMODULE; git -C sub config filter.x.clean "$EVIL"
           echo '* filter=x' > .git/modules/sub/info/attributes; touch -d 2031-01-01 sub/a.txt"#,
    ),
    trap(
        "submodule summaries and updates",
        NEVER,
        r#"$SUBMODULE; git config status.submoduleSummary true; git config submodule.recurse true
           git config submodule.sub.update "!$EVIL"; git -C sub config core.fsmonitor "$EVIL""#,
    ),
    trap(
        "hooksPath",
        STATUS,
        r#"mkdir "$OUT/hooks"; for h in post-index-change fsmonitor-watchman reference-transaction; do
           cp "$EVIL" "$OUT/hooks/$h"; done; git config core.hooksPath "$OUT/hooks""#,
    ),
    trap("hooks", STATUS, r#"cp "$EVIL" .git/hooks/post-index-change; cp "$EVIL" .git/hooks/post-checkout"#),
    Trap {
        name: "a bare repository inside a clone",
        set: r#"git clone -q --bare . inner.git; cd inner.git; git config core.bare false
            git config core.worktree .; git config core.fsmonitor "$EVIL"; git read-tree HEAD"#,
        folder: "inner.git",
        variables: &[],
        plain: STATUS,
    },
    Trap {
        name: "a bare repository with an empty .git",
        set: r#"git clone -q --bare . inner.git; cd inner.git; git config core.bare false
            git config core.worktree .; git config core.fsmonitor "$EVIL"; git read-tree HEAD; mkdir .git"#,
        folder: "inner.git",
        variables: &[],
        plain: STATUS,
    },
    trap(
        "a .git file that points elsewhere",
        STATUS,
        r#"mv .git "$OUT/elsewhere"; echo "gitdir: $OUT/elsewhere" > .git; git config core.fsmonitor "$EVIL""#,
    ),
    trap(
        "core.worktree",
        STATUS,
        r#"$FILTERED; cp -r . "$OUT/tree"; git config core.worktree "$OUT/tree"; git config filter.x.clean "$EVIL""#,
    ),
    trap(
        "external diff",
        "git diff --ext-diff",
        r#"git config diff.external "$EVIL"; git config diff.trustExitCode true; echo two >> a.txt"#,
    ),
    trap(
        "diff driver and textconv",
        "git diff",
        r#"echo '*.txt diff=x' > .gitattributes; git config diff.x.command "$EVIL"
           git config diff.x.textconv "$EVIL"; echo two >> a.txt"#,
    ),
    trap(
        "diff: filter of a file that is staged and changed",
        STAT,
        r#"echo two >> a.txt; git add a.txt; echo three >> a.txt; $FILTERED
           git config filter.x.clean "$EVIL"; git config filter.x.process "$EVIL""#,
    ),
    trap(
        "diff: fsmonitor",
        STAT,
        r#"git config core.fsmonitor "$EVIL"; git config core.fsmonitorHookVersion 2; echo two >> a.txt"#,
    ),
    trap(
        "diff: fsmonitor of a submodule",
        STAT,
        r#"$SUBMODULE; git -C sub config core.fsmonitor "$EVIL"; git config diff.ignoreSubmodules none
           git config submodule.sub.ignore none; git config diff.submodule diff; echo two >> a.txt"#,
    ),
    trap(
        "diff: filter of a submodule",
        STAT,
        r#"$SUBMODULE; git -C sub config filter.x.clean "$EVIL"; git config -f .gitmodules submodule.sub.ignore none
           echo '* filter=x' > .git/modules/sub/info/attributes; touch -d 2031-01-01 sub/a.txt; echo two >> a.txt"#,
    ),
    trap(
        "diff: textconv of a binary file that is staged",
        "git diff HEAD",
        r#"echo '*.bin diff=x' > .gitattributes; printf '\0one' > x.bin; git add .; git commit -qm bin
           printf '\0two' > x.bin; git add x.bin; git config diff.x.textconv "$EVIL"
           git config diff.x.cachetextconv true; git config diff.x.binary true"#,
    ),
    Trap {
        name: "diff: a program in a variable",
        set: "echo two >> a.txt",
        folder: "",
        variables: &[("GIT_EXTERNAL_DIFF", "$EVIL"), ("GIT_DIFF_OPTS", "-u0")],
        plain: "git diff",
    },
    trap(
        "diff: lazy fetch of what was committed",
        STAT,
        r#"blob=$(git rev-parse HEAD:a.txt); echo two >> a.txt
           rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
           git config core.repositoryFormatVersion 1; git config extensions.partialClone o
           git config remote.o.promisor true; git config remote.o.url ssh://x/y; git config core.sshCommand "$EVIL""#,
    ),
    trap(
        "untracked: cache and fsmonitor",
        STATUS,
        r#"git config core.untrackedCache true; git update-index --untracked-cache; echo new > new.txt
           git config core.fsmonitor "$EVIL"; mkdir -p d/e; echo new > d/e/new.txt"#,
    ),
    trap(
        "untracked: a repository inside that git does not track",
        "git -C inner status",
        r#"git init -q inner; cd inner; echo one > a.txt; git add .; git commit -qm inner
           git config core.fsmonitor "$EVIL"; cp "$EVIL" .git/hooks/post-index-change; echo two >> a.txt"#,
    ),
    trap(
        "lazy fetch over ssh",
        STATUS,
        r#"$MISSING; git config remote.o.url ssh://x/y; git config core.sshCommand "$EVIL""#,
    ),
    trap(
        "lazy fetch over ext",
        "git -c protocol.ext.allow=always status",
        r#"$MISSING; git config remote.o.url "ext::$EVIL"; git config protocol.ext.allow always"#,
    ),
    trap(
        "lazy fetch from a folder",
        STATUS,
        r#"$MISSING; git config remote.o.url "$OUT"; git config remote.o.uploadpack "$EVIL""#,
    ),
    trap(
        "lazy fetch with credentials",
        "printf 'protocol=https\nhost=x\n\n' | git credential fill",
        r#"$MISSING; git config remote.o.url https://127.0.0.1:1/y; git config credential.helper "!$EVIL"
           git config core.askPass "$EVIL"; git config core.alternateRefsCommand "$EVIL"; git config core.gitProxy "$EVIL""#,
    ),
    trap(
        "a remote helper",
        "PATH=$OUT:$PATH git status",
        r#"$MISSING; cp "$EVIL" "$OUT/git-remote-evil"; git config remote.o.vcs evil; git config remote.o.url x"#,
    ),
    trap(
        "pager and editor",
        "git -p -c core.pager=$EVIL status; git commit --allow-empty",
        r#"git config core.pager "$EVIL"; git config pager.status "$EVIL"; git config pager.log "$EVIL"
           git config pager.diff "$EVIL"; git config pager.ls-files "$EVIL"
           git config core.editor "$EVIL"; git config sequence.editor "$EVIL""#,
    ),
    trap(
        "alias",
        "git x",
        r#"for a in x status log config diff ls-files check-attr; do git config alias.$a "!$EVIL"; done"#,
    ),
    trap(
        "gpg",
        "git log -1",
        r#"git config gpg.program "$EVIL"; git config gpg.openpgp.program "$EVIL"; git config log.showSignature true
           tree=$(git rev-parse HEAD^{tree})
           printf 'tree %s\nauthor a <a@b> 1767225600 +0000\ncommitter a <a@b> 1900000000 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nSigned\n' $tree > c
           git update-ref HEAD $(git hash-object -t commit -w c)"#,
    ),
    Trap {
        name: "variables: configuration",
        set: "",
        folder: "",
        variables: &[
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
            ("GIT_CONFIG_VALUE_0", "$EVIL"),
        ],
        plain: STATUS,
    },
    Trap {
        name: "variables: parameters",
        set: "",
        folder: "",
        variables: &[("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='$EVIL'")],
        plain: STATUS,
    },
    Trap {
        name: "variables: another repository",
        set: r#"git init -q "$OUT/other"; git -C "$OUT/other" config core.fsmonitor "$EVIL""#,
        folder: "",
        variables: &[("GIT_DIR", "$OUT/other/.git"), ("GIT_WORK_TREE", "$OUT/other")],
        plain: STATUS,
    },
    Trap {
        name: "variables: traces and programs",
        set: r#"mkdir "$OUT/exec"; cp "$EVIL" "$OUT/exec/git-status""#,
        folder: "",
        variables: &[
            ("GIT_TRACE", "$MARK"),
            ("GIT_TRACE2", "$MARK"),
            ("GIT_EXEC_PATH", "$OUT/exec"),
            ("GIT_EXTERNAL_DIFF", "$EVIL"),
            ("GIT_SSH_COMMAND", "$EVIL"),
            ("GIT_ASKPASS", "$EVIL"),
            ("GIT_PAGER", "$EVIL"),
            ("GIT_EDITOR", "$EVIL"),
        ],
        plain: STATUS,
    },
    Trap {
        name: "a program called git in the repository",
        set: r#"cp "$EVIL" git"#,
        folder: "",
        variables: &[("PATH", ".:/usr/local/bin:/usr/bin:/bin")],
        plain: STATUS,
    },
    Trap {
        name: "a program called git in a folder of the repository that PATH names",
        set: r#"mkdir -p node_modules/.bin; cp "$EVIL" node_modules/.bin/git"#,
        folder: "",
        variables: &[("PATH", "$ROOT/node_modules/.bin:/usr/local/bin:/usr/bin:/bin")],
        plain: STATUS,
    },
    Trap {
        name: "the same behind a link from outside",
        set: r#"mkdir bin; cp "$EVIL" bin/git; ln -s "$PWD/bin" "$OUT/linked""#,
        folder: "",
        variables: &[("PATH", "$OUT/linked:/usr/local/bin:/usr/bin:/bin")],
        plain: STATUS,
    },
    Trap {
        name: "a program called like a client in a folder of the repository that PATH names",
        set: r#"mkdir -p .venv/bin; cp "$EVIL" .venv/bin/claude; cp "$EVIL" .venv/bin/codex"#,
        folder: "",
        variables: &[("PATH", "$ROOT/.venv/bin:/usr/local/bin:/usr/bin:/bin")],
        plain: "claude --version",
    },
];

const SUBMODULE: &str = r#"git init -q "$OUT/sub"; (cd "$OUT/sub"; echo s > a.txt; git add .; git commit -qm s)
    git -c protocol.file.allow=always submodule --quiet add "$OUT/sub" sub; git commit -qm sub"#;
/// A commit whose file is missing, as in a partial clone, and a renamed version of it: git reads both.
const MISSING: &str = r"seq 1 200 > long.txt; git add long.txt; git commit -qm long; blob=$(git rev-parse HEAD:long.txt)
    git mv long.txt moved.txt; seq 1 199 > moved.txt; git add moved.txt
    rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
    git config core.repositoryFormatVersion 1; git config extensions.partialClone o
    git config remote.o.promisor true";

/// A repository with one of the traps, and a session in it.
struct Set {
    env: TestEnv,
    out: PathBuf,
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl Set {
    fn new(trap: &Trap) -> Set {
        let mut env = TestEnv::new();
        let out = env.root().join("out");
        std::fs::create_dir(&out).unwrap();
        let folder = env.project().join(trap.folder);
        let of = |text: &str| {
            text.replace("$EVIL", &path(&out, "evil"))
                .replace("$MARK", &path(&out, "mark"))
                .replace("$OUT", out.to_str().unwrap())
                .replace("$ROOT", env.project().to_str().unwrap())
        };
        let variables = trap.variables.iter().map(|(name, value)| ((*name).to_owned(), of(value))).collect();
        let evil = format!("#!/bin/sh\n: > {}\n", path(&out, "mark"));
        files::write(out.join("evil"), evil);
        std::fs::set_permissions(out.join("evil"), std::fs::Permissions::from_mode(0o755)).unwrap();
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@b"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ] {
            env.set_var(name, value);
        }
        let set = Set { env, out, folder, variables };
        set.shell("git init -q -b main; echo one > a.txt; git add a.txt; git commit -qm first", &[]);
        set.shell(
            &trap
                .set
                .replace("$FILTERED", FILTERED)
                .replace("$SUBMODULE", SUBMODULE)
                .replace("$MISSING", MISSING),
            &[],
        );
        // The same content, but git has to read it to know.
        set.shell("touch -d 2030-01-01 a.txt; rm -f \"$MARK\"", &[]);
        set
    }

    fn shell(&self, line: &str, variables: &[(String, String)]) {
        let mut shell = self.env.command("sh");
        shell
            .args(["-c", line])
            .env("EVIL", self.out.join("evil"))
            .env("MARK", self.mark())
            .env("OUT", &self.out);
        shell.envs(variables.iter().map(|(name, value)| (name, value)));
        let _ = self.env.run_command(shell, "");
    }

    fn mark(&self) -> PathBuf {
        self.out.join("mark")
    }

    /// Everything that runs git: hooks at starts, ends and compactions, and the commands for people.
    fn ask_everything(&self) {
        let mut hooks = HookPlayer::new(&self.env, BIN, SESSION).in_folder(&self.folder);
        for (name, value) in &self.variables {
            hooks = hooks.with_var(name, value);
        }
        let mut transcript = Transcript::new().cwd(&self.folder).prompt("Fix the parser. Never push.").edit(
            &path(&self.folder, "a.txt"),
            "one",
            "two",
        );
        let _ = hooks.session_start("startup");
        transcript.append_to(hooks.transcript_path());
        let _ = hooks.compaction(&mut transcript, "auto", "About a parser.");
        let _ = hooks.session_end("other");
        let _ = hooks.session_start("resume");
        for arguments in [
            &["status"][..],
            &["handoff", SESSION],
            &["init", "--instructions", "--project", "--dry-run"],
            &["init", "--project", "--dry-run"],
            &["doctor"],
        ] {
            let mut command = self.env.command(BIN);
            command
                .args(arguments)
                .current_dir(&self.folder)
                .envs(self.variables.iter().map(|(n, v)| (n, v)));
            let _ = self.env.run_command(command, "");
        }
    }
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn repositories_cannot_run_code() {
    assert!(TRAPS.len() >= 20);
    let ran: Vec<&str> = std::thread::scope(|scope| {
        let parts: Vec<_> = TRAPS.chunks(10).map(|part| scope.spawn(|| run_code(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("traps that work")).collect()
    });
    assert_eq!(ran, Vec::<&str>::new(), "repositories whose code ran");
}

/// The traps that left the mark.
fn run_code(traps: &'static [Trap]) -> Vec<&'static str> {
    let mut ran = Vec::new();
    for trap in traps {
        let set = Set::new(trap);
        set.ask_everything();
        ran.extend(set.mark().exists().then_some(trap.name));
        let _ = std::fs::remove_file(set.mark());
        if trap.plain != NEVER {
            set.shell(&format!("cd ./{}; {}", trap.folder, trap.plain), &set.variables);
            assert!(set.mark().exists(), "{}: the trap does not work", trap.name);
        }
    }
    ran
}

/// Git LFS is a filter of the user's. Without it its files look changed, but must not be reported as changed.
#[test]
fn files_that_look_changed_without_their_filter_are_not_reported() {
    let set = Set::new(&trap(
        "",
        NEVER,
        r"git config --global filter.up.clean 'tr a-z A-Z'; git config --global filter.up.required true
           echo '*.big filter=up' > .gitattributes; echo big > x.big; echo plain > b.txt; git add .; git commit -qm big
           touch -d 2031-01-01 x.big; echo changed >> b.txt",
    ));
    let hooks = HookPlayer::new(&set.env, BIN, SESSION).in_folder(&set.folder);
    let mut transcript =
        Transcript::new().cwd(&set.folder).prompt("Fix the parser. Never push.").says("Yes.");
    let brief = hooks.compaction(&mut transcript, "auto", "About a parser.").brief().expect("a brief");
    assert!(brief.contains("not committed: b.txt"), "{brief}");
}
