//! The `catchword` binary: the hook first, then everything for people.
//!
//! `hook` is answered before clap builds its command tree: it runs on every tool use of somebody's day.

mod cli;
mod cmd;
mod config;
mod env;
mod exit;
mod files;
mod git;
mod hook;
mod install;
mod log;
mod mirror;
mod ui;

use std::process::ExitCode;

fn main() -> ExitCode {
    let env = env::Env::from_process();
    if env.is_hook_call() {
        hook::run(&env);
        return ExitCode::SUCCESS;
    }
    cli::run(&env)
}
