//! The `catchword` binary: the hook first, then everything for people.
//!
//! `hook` and `statusline` are answered before clap builds its command tree: they run at every turn of somebody's day.

mod around;
mod backup;
mod cli;
mod cmd;
mod config;
mod env;
mod exit;
mod files;
mod git;
mod handoff;
mod hook;
mod host;
mod install;
mod log;
mod mcp;
mod mirror;
mod privacy;
mod settle;
mod statusline;
mod ui;

use std::process::ExitCode;

/// A tick of the static build, and a first sight, are quicker with it than with musl's own.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let env = env::Env::from_process();
    if env.is_hook_call() {
        hook::run(&env);
        return ExitCode::SUCCESS;
    }
    if env.is_statusline_call() {
        statusline::run(&env);
        return ExitCode::SUCCESS;
    }
    if env.is_settle_call() {
        settle::run(&env);
        return ExitCode::SUCCESS;
    }
    cli::run(&env)
}
