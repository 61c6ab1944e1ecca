//! The same scenarios on the model host and on real machines.
//!
//! They run in a folder of this machine, and on a disposable Debian host. Each answer, including errors, must
//! be the expected one. A difference on a real machine is a fault of the model or of the local system.

mod disks;
mod files;
mod http;
mod machine;
mod processes;
mod transcript;

use std::path::Path;

use converge_core::system::{ModelSystem, System};
use converge_core::testing::server::Server;

pub use transcript::Line;
use transcript::Place;

/// The shell script that creates the disks of the scenarios in its working directory.
///
/// It needs root, and a machine or mount namespace that ends with the test.
pub const DISKS: &str = disks::SCRIPT;

/// Runs all scenarios in an empty folder, which may contain the [disks](DISKS).
pub async fn run_all(system: &dyn System, folder: &Path, server: &Server, has_disks: bool) -> Vec<Line> {
    let server = server.url("");
    let mut place = Place { system, folder, server, lines: Vec::new() };
    files::tell(&mut place).await;
    if has_disks {
        disks::tell(&mut place).await;
    }
    http::tell(&mut place).await;
    processes::tell(&mut place).await;
    machine::tell(&mut place).await;
    place.lines
}

/// Returns a model host for the scenarios in this folder, with the same server.
pub fn model(folder: &Path, server: &Server) -> ModelSystem {
    let model = ModelSystem::new().with_flowing_time().with_dir(folder);
    let model = http::model(disks::model(model, folder), &server.url(""));
    processes::model(model)
}

/// Starts the server of the scenarios on this machine.
pub fn server() -> Server {
    http::server()
}

/// Returns the scenarios with an unexpected answer, one per line; empty if there are none.
pub fn differences(lines: &[Line]) -> String {
    let failures = lines.iter().filter(|line| line.answer != line.expect);
    let messages = failures.map(|line| format!("{}: {} instead of {}", line.story, line.answer, line.expect));
    messages.collect::<Vec<_>>().join("\n")
}
