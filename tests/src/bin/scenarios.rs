//! Tells the stories of `converge_tests::stories` on the machine that it runs on, in the folder that is named: exit code 1 and what went otherwise.
//! With `disks` as a second word it expects the disks of the stories there. It is run where a test may mount something: in a namespace of its
//! own, or on a disposable host.

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
    let lines = runtime.block_on(scenarios::tell(&LocalSystem::new(), &folder, &server, has_disks));
    let wrong = scenarios::wrong(&lines);
    writeln!(std::io::stdout(), "{wrong}\n{} stories", lines.len())?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
