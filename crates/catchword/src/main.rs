//! The `catchword` binary: hook and status line first, then the commands for people.
//!
//! `hook` and `statusline` are answered before clap builds its command tree, because they run at every turn.

mod app;
mod cli;
mod cmd;
mod hook;
mod install;
mod mcp;
mod statusline;
mod ui;
mod web;

use std::process::ExitCode;

/// A tick of the static build, and a first read of a transcript, are faster with it than with musl's own allocator.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut env = app::env::Env::from_process();
    // A hook must not fail, not even here.
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
    if env.args.is_empty() && hook::run_without_arguments(&env) {
        return ExitCode::SUCCESS;
    }
    cli::run(&env)
}
