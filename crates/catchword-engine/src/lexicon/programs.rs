//! What programs are for. One table of programs with their verbs, one of wrappers, one of the names people give scripts.
//!
//! Names and verbs are separated by spaces. The first verb that stands among the first words after the program decides;
//! without one, `alone` does.

use self::Purpose::{
    Build, Change, Deploy, Format, Install, Lint, Look, Prepare, Run, Serve, Test, Types, VersionControl,
};

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Runs tests.
    Test,
    /// Compiles or bundles.
    Build,
    /// Checks types and builds nothing.
    Types,
    /// Looks for mistakes in the code.
    Lint,
    /// Formats code.
    Format,
    /// Runs a program or a script of the project.
    Run,
    /// Starts something that keeps running.
    Serve,
    /// Publishes, releases, or changes another machine.
    Deploy,
    /// Fetches or installs packages and tools.
    Install,
    /// Changes a repository: a commit, a push, a branch.
    VersionControl,
    /// Only shows something.
    Look,
    /// Changes files, processes or settings of this machine.
    Change,
    /// Prepares the next command or reports on it: `cd`, `export`, `echo`.
    Prepare,
    /// Nothing is known about the program.
    Unknown,
}

/// A program, or several that are used alike.
pub struct Program {
    pub names: &'static str,
    /// What it does without a verb of the list.
    pub alone: Purpose,
    pub verbs: &'static [(Purpose, &'static str)],
    /// Options that take the next word.
    pub valued: &'static str,
    pub example: (&'static str, Purpose),
}

const fn plain(names: &'static str, alone: Purpose, example: &'static str) -> Program {
    Program { names, alone, verbs: &[], valued: "", example: (example, alone) }
}

const fn verbs(
    names: &'static str,
    alone: Purpose,
    verbs: &'static [(Purpose, &'static str)],
    example: (&'static str, Purpose),
) -> Program {
    Program { names, alone, verbs, valued: "", example }
}

/// Every program we know.
pub const PROGRAMS: &[Program] = &[
    // Tests.
    plain("pytest py.test unittest nose2 tox nox", Test, "pytest -q tests"),
    plain("jest vitest mocha ava jasmine karma tap tape", Test, "jest src/a.test.ts"),
    plain("ctest rspec minitest phpunit pest gotestsum nextest bats busted prove", Test, "bats tests"),
    verbs(
        "playwright cypress",
        Test,
        &[(Install, "install"), (Look, "show-report"), (Look, "codegen open")],
        ("playwright test", Test),
    ),
    // Compilers, bundlers, type checkers.
    plain("gcc g++ cc c++ clang clang++ rustc javac kotlinc ghc ocamlc swiftc", Build, "gcc -o a a.c"),
    plain("cmake meson ninja msbuild xcodebuild", Build, "cmake .."),
    plain("tsc vue-tsc mypy pyright pyre", Types, "tsc --noEmit"),
    plain("webpack rollup esbuild parcel tsup swc babel", Build, "esbuild src/a.ts"),
    verbs(
        "vite next nuxt astro remix",
        Serve,
        &[(Build, "build"), (Lint, "lint check"), (Serve, "dev preview start")],
        ("vite build", Build),
    ),
    // Linters and formatters.
    verbs("ruff", Lint, &[(Format, "format"), (Lint, "check")], ("ruff check .", Lint)),
    plain(
        "flake8 pylint eslint stylelint shellcheck hadolint markdownlint yamllint actionlint",
        Lint,
        "eslint src",
    ),
    plain("clippy clippy-driver rubocop standard xo oxlint tflint semgrep bandit", Lint, "rubocop"),
    verbs(
        "golangci-lint",
        Lint,
        &[(Look, "version linters help"), (Lint, "run")],
        ("golangci-lint run", Lint),
    ),
    verbs("biome", Lint, &[(Format, "format"), (Lint, "check lint ci")], ("biome check src", Lint)),
    plain("pre-commit", Lint, "pre-commit run --all-files"),
    plain(
        "black isort autopep8 gofmt goimports gofumpt rustfmt prettier shfmt clang-format",
        Format,
        "gofmt -l .",
    ),
    // Tools whose verb decides.
    Program {
        names: "cargo",
        alone: Look,
        verbs: &[
            (Test, "test t nextest bench miri"),
            (Build, "build b check c doc rustc llvm-cov"),
            (Lint, "clippy deny audit machete"),
            (Format, "fmt"),
            (Run, "run r xtask"),
            (Install, "install add remove update fetch vendor binstall"),
            (Deploy, "publish"),
            (Change, "clean new init fix"),
        ],
        valued: "-p --package --manifest-path --target --features -F --profile --color --config -Z -j",
        example: ("cargo test -p x", Test),
    },
    Program {
        names: "go",
        alone: Look,
        verbs: &[
            (Test, "test"),
            (Build, "build"),
            (Lint, "vet"),
            (Format, "fmt"),
            (Run, "run generate"),
            (Install, "get install mod"),
            (Change, "clean work"),
        ],
        valued: "-C",
        example: ("go test ./...", Test),
    },
    verbs(
        "dotnet",
        Run,
        &[
            (Test, "test"),
            (Build, "build msbuild publish"),
            (Format, "format"),
            (Run, "run"),
            (Install, "restore add tool"),
        ],
        ("dotnet test", Test),
    ),
    verbs(
        "mix",
        Run,
        &[
            (Test, "test"),
            (Build, "compile"),
            (Format, "format"),
            (Lint, "credo dialyzer"),
            (Install, "deps.get"),
        ],
        ("mix test", Test),
    ),
    verbs(
        "swift zig dart flutter",
        Run,
        &[
            (Test, "test"),
            (Build, "build build-exe"),
            (Format, "fmt format"),
            (Lint, "analyze"),
            (Run, "run"),
            (Install, "pub package"),
        ],
        ("swift test", Test),
    ),
    verbs("R Rscript", Run, &[], ("Rscript check_math.R", Run)),
    // Deploying, containers, clouds.
    verbs(
        "docker podman nerdctl",
        Look,
        &[
            (Build, "build buildx"),
            (Run, "run"),
            (Serve, "up start restart"),
            (Deploy, "push"),
            (Install, "pull"),
            (Change, "rm rmi stop kill down cp tag create network volume prune"),
            (Look, "ps logs images inspect"),
        ],
        ("docker build -t app .", Build),
    ),
    verbs(
        "docker-compose",
        Look,
        &[
            (Build, "build"),
            (Run, "run"),
            (Serve, "up start restart"),
            (Change, "down rm stop kill"),
            (Install, "pull"),
        ],
        ("docker-compose up -d", Serve),
    ),
    verbs(
        "kubectl helm terraform tofu pulumi ansible-playbook",
        Deploy,
        &[
            (Look, "get describe logs list status plan output show version top explain diff template"),
            (Lint, "validate lint fmt"),
        ],
        ("kubectl get pods", Look),
    ),
    verbs(
        "fly flyctl railway vercel netlify wrangler heroku firebase serverless eas gcloud aws az",
        Deploy,
        &[(Look, "list ls logs status describe get show whoami inspect"), (Serve, "dev")],
        ("vercel deploy", Deploy),
    ),
    plain("rsync scp sftp", Deploy, "rsync -a dist/ host:/srv"),
    plain("ssh", Run, "ssh host"),
    // Version control.
    Program {
        names: "git hg svn",
        alone: Look,
        verbs: &[
            (
                Look,
                "status diff log show branch blame grep ls-files ls-tree rev-parse check-ignore show-ref merge-base describe reflog remote cat-file shortlog rev-list fetch config worktree version bisect help",
            ),
            (
                VersionControl,
                "commit push pull add stage rm mv merge rebase cherry-pick revert reset restore checkout switch stash tag clone init apply am clean submodule",
            ),
        ],
        valued: "-C -c --git-dir --work-tree",
        example: ("git checkout dev", VersionControl),
    },
    verbs(
        "jj gt sl",
        Look,
        &[
            (Look, "status log diff show st ls"),
            (
                VersionControl,
                "commit describe desc squash new create modify amend submit push bookmark git rebase restore",
            ),
        ],
        ("jj describe -m x", VersionControl),
    ),
    Program {
        names: "gh glab",
        alone: Look,
        verbs: &[
            (Look, "view list checks status diff search watch"),
            (VersionControl, "create merge close comment edit review checkout ready delete reopen"),
            (Run, "rerun"),
            (Deploy, "release workflow"),
            (Look, "api"),
        ],
        valued: "-R --repo",
        example: ("gh pr view 3", Look),
    },
    // Packages.
    verbs(
        "pip pip3 gem composer conda apt apt-get brew dnf yum apk pacman snap choco",
        Install,
        &[(Look, "show list freeze search info outdated policy why")],
        ("pip install x", Install),
    ),
    plain("wget", Install, "wget x"),
    // Databases.
    plain("psql mysql sqlite3 mongosh redis-cli duckdb", Run, "psql -c x"),
    // Servers.
    plain(
        "uvicorn gunicorn nodemon ngrok http-server http.server serve caddy nginx",
        Serve,
        "uvicorn app:main",
    ),
    // Looks.
    plain(
        "ls cat head tail grep egrep fgrep rg ag find fd awk wc pwd date which type file stat du df tree",
        Look,
        "grep -rn test src",
    ),
    plain(
        "diff cmp jq yq json.tool ps pgrep lsof curl printenv whoami uname hostname less more sort uniq cut tr column",
        Look,
        "diff a b",
    ),
    plain(
        "xxd hexdump strings man nproc free uptime id groups locate realpath basename dirname readlink md5sum",
        Look,
        "realpath a",
    ),
    plain(
        "sha1sum sha256sum od nl tac comm join paste fold expand rev seq top htop netstat ss ip dig nslookup",
        Look,
        "seq 3",
    ),
    plain("ping objdump nm ldd otool bat eza delta tokei cloc test [ [[", Look, "test -f Cargo.toml"),
    plain("env timeit pdb pydoc", Look, "python3 -m pydoc os"),
    // Changes.
    plain(
        "mkdir mv cp rm rmdir touch chmod chown ln kill pkill killall tar unzip zip gzip gunzip tee dd",
        Change,
        "rm -rf build",
    ),
    plain("truncate install patch systemctl service crontab sed", Change, "mv a b"),
    // Preparation.
    plain(
        "cd export source . set pushd popd unset alias ulimit umask shopt trap local declare read",
        Prepare,
        "cd web",
    ),
    plain(
        "echo printf sleep true false : wait exit return yes clear for do done if then else fi while case esac",
        Prepare,
        "echo ok",
    ),
];

/// Programs that run another one.
pub struct Wrapper {
    /// Its words: `docker compose exec`. Options may stand between them.
    pub words: &'static str,
    /// Options that take the next word.
    pub valued: &'static str,
    /// Words of its own before the command: a host, a container, a duration.
    pub own: usize,
    /// The command is a script in one word: `bash -c '…'`.
    pub script: bool,
    /// What it runs does not happen on this machine.
    pub elsewhere: bool,
    /// A line, and the program it runs.
    pub example: (&'static str, &'static str),
}

const fn wrapper(words: &'static str, example: (&'static str, &'static str)) -> Wrapper {
    Wrapper { words, valued: "", own: 0, script: false, elsewhere: false, example }
}

/// A program that nobody knows, in front of a build tool: `rtk bun test`.
pub const UNKNOWN_WRAPPER: Wrapper = wrapper("", ("wrapped bun run test", "bun"));

/// Every wrapper we know. Longer ones come before their beginnings.
pub const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        valued: "-u --user -g --group -h -p -C -U -T",
        ..wrapper("sudo", ("sudo -u app make", "make"))
    },
    wrapper("doas", ("doas make", "make")),
    Wrapper { valued: "-u --unset -C --chdir", ..wrapper("env", ("env -u A B=1 make", "make")) },
    Wrapper { valued: "-f -o", ..wrapper("time", ("time make", "make")) },
    Wrapper { valued: "-n", ..wrapper("nice", ("nice -n 5 make", "make")) },
    Wrapper { valued: "-c -n -p", ..wrapper("ionice", ("ionice -c 3 make", "make")) },
    wrapper("nohup", ("nohup make", "make")),
    wrapper("setsid", ("setsid make", "make")),
    Wrapper {
        own: 1,
        valued: "-s --signal -k --kill-after",
        ..wrapper("timeout", ("timeout -k 5 60 make", "make"))
    },
    Wrapper {
        own: 1,
        valued: "-s --signal -k --kill-after",
        ..wrapper("gtimeout", ("gtimeout 60 make", "make"))
    },
    wrapper("command", ("command make", "make")),
    wrapper("exec", ("exec make", "make")),
    wrapper("builtin", ("builtin cd x", "cd")),
    wrapper("eval", ("eval make", "make")),
    Wrapper { valued: "-s -n -e -w", ..wrapper("xvfb-run", ("xvfb-run -a make", "make")) },
    Wrapper { valued: "-i -o -e", ..wrapper("stdbuf", ("stdbuf -o L make", "make")) },
    wrapper("caffeinate", ("caffeinate make", "make")),
    Wrapper { own: 1, valued: "-w -E", ..wrapper("flock", ("flock /tmp/l make", "make")) },
    Wrapper { valued: "-I -n -P -L -d -a", ..wrapper("xargs", ("xargs -n 1 rm", "rm")) },
    Wrapper { valued: "-n", ..wrapper("watch", ("watch -n 1 make", "make")) },
    Wrapper { valued: "-p --package -c --call", ..wrapper("npx", ("npx --yes vitest run", "vitest")) },
    wrapper("bunx", ("bunx vitest", "vitest")),
    wrapper("uvx", ("uvx ruff check", "ruff")),
    Wrapper {
        valued: "--with --python -p --extra --group --env-file --directory --project",
        ..wrapper("uv run", ("uv run --with x pytest", "pytest"))
    },
    wrapper("uv tool run", ("uv tool run ruff", "ruff")),
    wrapper("uv", ("uv pip install x", "pip")),
    wrapper("poetry run", ("poetry run pytest", "pytest")),
    wrapper("pipenv run", ("pipenv run pytest", "pytest")),
    wrapper("pdm run", ("pdm run pytest", "pytest")),
    wrapper("hatch run", ("hatch run pytest", "pytest")),
    wrapper("bundle exec", ("bundle exec rspec", "rspec")),
    wrapper("pnpm dlx", ("pnpm dlx vitest", "vitest")),
    Wrapper { valued: "--filter -F -C --dir", ..wrapper("pnpm exec", ("pnpm --filter api exec tsc", "tsc")) },
    wrapper("yarn dlx", ("yarn dlx vitest", "vitest")),
    wrapper("yarn exec", ("yarn exec vitest", "vitest")),
    wrapper("npm exec", ("npm exec -- vitest", "vitest")),
    wrapper("bun x", ("bun x vitest", "vitest")),
    wrapper("corepack", ("corepack tsc", "tsc")),
    wrapper("cross-env", ("cross-env A=1 jest", "jest")),
    wrapper("dotenv", ("dotenv -- jest", "jest")),
    wrapper("mise exec", ("mise exec -- go test", "go")),
    wrapper("mise x", ("mise x -- go test", "go")),
    Wrapper { own: 1, ..wrapper("direnv exec", ("direnv exec . make", "make")) },
    Wrapper { valued: "-c --command", ..wrapper("nix develop -c", ("nix develop -c make", "make")) },
    Wrapper {
        own: 1,
        elsewhere: true,
        valued: "-e -u -w --env --user --workdir --index",
        ..wrapper("docker compose exec", ("docker compose exec -T web pytest", "pytest"))
    },
    Wrapper {
        own: 1,
        elsewhere: true,
        valued: "-e -u -w --env --user --workdir --entrypoint -v -p",
        ..wrapper("docker compose run", ("docker compose run --rm web pytest", "pytest"))
    },
    wrapper("docker compose", ("docker compose up -d", "docker-compose")),
    Wrapper {
        own: 1,
        elsewhere: true,
        valued: "-e -u -w --env --user --workdir",
        ..wrapper("docker-compose exec", ("docker-compose exec web pytest", "pytest"))
    },
    Wrapper {
        own: 1,
        elsewhere: true,
        valued: "-e -u -w --env --user --workdir",
        ..wrapper("docker exec", ("docker exec -u app web pytest", "pytest"))
    },
    Wrapper {
        own: 1,
        elsewhere: true,
        valued: "-e -u -w --env --user --workdir",
        ..wrapper("podman exec", ("podman exec web pytest", "pytest"))
    },
    Wrapper {
        own: 1,
        elsewhere: true,
        valued: "-n --namespace -c --container",
        ..wrapper("kubectl exec", ("kubectl exec -it web -- pytest", "pytest"))
    },
    Wrapper {
        own: 1,
        elsewhere: true,
        script: true,
        valued: "-p -i -l -o -F -J -L -R -D -W -b -c -E -e -m -S -w",
        ..wrapper("ssh", ("ssh -p 22 app@host 'cd x && make test'", "cd"))
    },
    Wrapper { script: true, ..wrapper("bash -c", ("bash -c 'make test'", "make")) },
    Wrapper { script: true, ..wrapper("bash -lc", ("bash -lc 'make test'", "make")) },
    Wrapper { script: true, ..wrapper("sh -c", ("sh -c 'make test'", "make")) },
    Wrapper { script: true, ..wrapper("zsh -c", ("zsh -c 'make test'", "make")) },
    Wrapper { script: true, ..wrapper("zsh -lc", ("zsh -lc 'make test'", "make")) },
    wrapper("python -m", ("python3 -m pytest -q", "pytest")),
];

/// Programs that run a script of the project by its name, after these words or directly: `npm run build`, `make test`.
pub struct TaskRunner {
    pub names: &'static str,
    /// Words that may stand before the script's name.
    pub before: &'static str,
    /// Verbs of its own, which are no scripts.
    pub own: &'static [(Purpose, &'static str)],
    /// Options that take the next word.
    pub valued: &'static str,
    /// Without a name.
    pub alone: Purpose,
    pub example: (&'static str, Purpose),
}

const PACKAGES: &[(Purpose, &str)] = &[
    (Install, "install i ci add remove rm uninstall update up upgrade link dedupe prune"),
    (Look, "ls list view info show outdated why help config pack whoami search explain root bin version"),
    (Deploy, "publish"),
    (Lint, "audit"),
    (Change, "init create"),
];

pub const RUNNERS: &[TaskRunner] = &[
    TaskRunner {
        names: "npm pnpm yarn bun",
        before: "run run-script workspace",
        own: PACKAGES,
        valued: "--filter -F -C --prefix --workspace -w --dir --cwd",
        alone: Install,
        example: ("pnpm --filter api test -- --watch", Test),
    },
    TaskRunner {
        names: "make gmake",
        before: "",
        // By the GNU standards.
        own: &[(Test, "check installcheck distcheck")],
        valued: "-C -f --file -j -s -d --directory",
        alone: Build,
        example: ("make check", Test),
    },
    TaskRunner {
        names: "just task rake invoke inv poe nx turbo moon doit",
        before: "run",
        own: &[],
        valued: "-C -f --file -j -s -d --directory",
        alone: Build,
        example: ("just -d web lint", Lint),
    },
    TaskRunner {
        names: "mvn mvnw gradle gradlew bazel sbt ant lein",
        before: "run",
        own: &[],
        valued: "-p -f -pl",
        alone: Build,
        example: ("./gradlew test", Test),
    },
    TaskRunner {
        names: "mise deno composer",
        before: "run task run-script r",
        own: &[
            (Look, "ls list env current which info"),
            (Install, "install use upgrade add require update cache"),
        ],
        valued: "-C",
        alone: Run,
        example: ("mise run test:ci", Test),
    },
    TaskRunner {
        names: "poetry pipenv pdm hatch bundle uv",
        before: "",
        own: &[
            (Install, "install add remove update lock sync"),
            (Look, "show list tree info version"),
            (Build, "build"),
            (Deploy, "publish"),
        ],
        valued: "",
        alone: Install,
        example: ("poetry install", Install),
    },
];

/// What scripts are called, by a part of their name: `test:unit`, `build-web`. The first part that is listed decides.
pub const SCRIPTS: &[(Purpose, &str)] = &[
    (Test, "test tests t unit e2e spec specs integration coverage nextest pytest jest vitest bench"),
    (Build, "build compile bundle dist package all release-build"),
    (Types, "typecheck tsc types mypy pyright"),
    (Lint, "lint check clippy vet verify validate eslint audit ci precommit"),
    (Format, "fmt format prettier"),
    (Serve, "dev start serve watch preview up server"),
    (Deploy, "deploy release publish ship rollout"),
    (Install, "install setup bootstrap deps"),
    (Change, "clean migrate seed reset generate codegen"),
];

/// Programs that are given a file with a program in it.
pub const INTERPRETERS: &str =
    "python node ruby perl php bash sh zsh tsx ts-node bun deno java lua julia Rscript";

/// Options of interpreters that are followed by code.
pub const INLINE_OPTIONS: &str = "-c -e -p -pe -ne --eval --print -r";

/// Verbs with which a program that nobody knows only shows something.
pub const LOOK_VERBS: &str = "list ls show view info search tree env version help get ps logs inspect status log diff describe explain whoami where";

/// Files that an interpreter runs are tests if a part of their name is one of these. Other words in a file's name say
/// nothing: `check_math.R` computes.
pub const TEST_FILES: &str = "test tests spec e2e";

/// Options that pick single tests or files.
pub const PICKS: &str =
    "-k -run --run --grep -g -t --test-name-pattern --testNamePattern --filter --tests --test -m --lf";

/// Options that change only what is printed.
pub const COSMETIC: &str = "-q -qq --quiet -v -vv --verbose --no-header --no-color --color -s --silent -x --no-summary --tb --reporter --log-level --nocapture";

/// Programs that only pass on or shorten what they are given: behind a pipe they say nothing about the run.
pub const FILTERS: &str =
    "head tail grep egrep fgrep rg sed awk cut sort uniq wc tr tee cat less more column jq xargs";

/// Programs that look for the program they are given.
pub const PROBES: &str = "which type where where.exe Get-Command";

/// Exit code 1 is an answer of these: no match, files differ, condition false.
pub const ANSWERS: &str = "grep egrep fgrep rg ag diff cmp test [ [[ pgrep which type command expr";

/// The same for these verbs of git.
pub const GIT_ANSWERS: &str = "check-ignore diff show-ref rev-parse merge-base ls-files grep config";

/// Programs that run the same scripts under the same names.
pub const SAME_SCRIPTS: &str = "npm pnpm yarn bun";

/// Endings of files that are made rather than worked on: logs, pictures, locks.
pub const NOT_WORKED_ON: &str = "txt log out lock png jpg jpeg gif svg ico webp pdf";

/// How the file of a task runner names what it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptForm {
    /// Keys of `scripts`.
    Json,
    /// `target: …` at the start of a line.
    Rules,
}

/// Where a runner's scripts are written down, so that it can be seen whether one is still there.
#[derive(Debug)]
pub struct ScriptFile {
    pub programs: &'static str,
    /// The first of these that is there.
    pub names: &'static [&'static str],
    pub form: ScriptForm,
    /// Words of which one must stand before the script's name; empty if none does.
    pub before: &'static str,
    /// Scripts that need none.
    pub alone: &'static str,
    /// Options with which it looks elsewhere.
    pub elsewhere: &'static str,
}

pub const SCRIPT_FILES: &[ScriptFile] = &[
    ScriptFile {
        programs: "npm pnpm yarn bun",
        names: &["package.json"],
        form: ScriptForm::Json,
        before: "run run-script",
        alone: "test start",
        elsewhere: "--filter -F -C --prefix --workspace --workspaces -w -r --recursive --dir --cwd",
    },
    ScriptFile {
        programs: "make gmake",
        names: &["GNUmakefile", "makefile", "Makefile"],
        form: ScriptForm::Rules,
        before: "",
        alone: "",
        elsewhere: "-C -f --file --directory",
    },
    ScriptFile {
        programs: "just",
        names: &["justfile", "Justfile", ".justfile"],
        form: ScriptForm::Rules,
        before: "",
        alone: "",
        elsewhere: "-f --justfile -d --working-directory",
    },
];

/// Words for everything there is: they pick nothing.
pub const EVERYTHING: &str = ". ./... all";

/// Options that take a folder.
pub const FOLDER_OPTIONS: &str = "-C --prefix --cwd --dir --manifest-path --directory";

/// Programs that build or test what their words name; an unknown program in front of one runs it.
pub const BUILD_TOOLS: &str = "cargo go npm pnpm yarn bun make just mvn gradle dotnet deno mix swift zig rake bazel mise task nx turbo bundle poetry uv npx python node";

/// Programs that show what is in the files they are given.
pub const READERS: &str = "cat bat head tail less more nl sed awk jq wc sort diff cmp xxd hexdump";

/// Programs whose first word is a pattern or a script, not a file.
pub const PATTERN_FIRST: &str = "grep egrep fgrep rg ag sed awk jq perl";

/// Programs whose words are no files of theirs: texts, names, patterns.
pub const NAME_NO_FILES: &str = "echo printf export which find fd git gh jj cd type command";

/// Programs that print the lines or files they find, and among them those that are given a text.
pub const SEARCHERS: &str = "grep egrep fgrep rg ag find fd";
/// The end of a line that only shortens what the rest prints.
pub const SHORTENERS: &str = "tail head grep";

/// Verbs of git that may stop at a conflict, which has to be resolved instead of run again.
pub const GIT_MERGES: &str = "merge rebase cherry-pick pull";

/// Verbs of git that may change any file of the work tree.
pub const GIT_CHANGES_FILES: &str =
    "checkout restore stash reset revert switch pull merge rebase cherry-pick apply clean";
