//! The `catchword` binary: the hook first, then everything for people.
//!
//! `hook` and `statusline` are answered before clap builds its command tree: they run at every turn of somebody's day.

mod app;
mod cli;
mod cmd;
mod hook;
mod install;
mod mcp;
mod statusline;
mod ui;

use std::process::ExitCode;

/// A tick of the static build, and a first sight, are quicker with it than with musl's own.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut env = app::env::Env::from_process();
    // A hook never fails, not even here.
    let mask = std::panic::catch_unwind(|| app::privacy::LeaveOutRules::load(&env).mask());
    env.mask = mask.unwrap_or_default();
    if env.is_hook_call() {
        hook::run(&env);
        return ExitCode::SUCCESS;
    }
    if env.is_statusline_call() {
        statusline::run(&env);
        return ExitCode::SUCCESS;
    }
    cli::run(&env)
}
