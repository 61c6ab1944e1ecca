//! A program that runs the scenarios of `converge_tests::stories` in a folder on this machine.
//!
//! The exit code is 1 if a scenario fails, and the differences are printed. With `disks` as the second
//! argument, the program expects the disks of the scenarios. It runs where a test may mount file systems: in
//! its own mount namespace, or on a disposable host.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use converge_core::system::LocalSystem;
use converge_tests::scenarios;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: stories FOLDER [disks]")?);
    let has_disks = arguments.next().is_some_and(|word| word == "disks");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let server = scenarios::server();
    let lines = runtime.block_on(scenarios::run_all(&LocalSystem::new(), &folder, &server, has_disks));
    let failures = scenarios::differences(&lines);
    writeln!(std::io::stdout(), "{failures}\n{} stories", lines.len())?;
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
