//! The same stories on the model host and on real machines: in a folder of this one, and on a disposable Debian. Each answer is the one that is
//! expected, errors included; one that differs on a real machine is a fault of the model, or of the local system.

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

/// A shell script that makes the disks of the stories in its working directory. It needs root, and is for a machine, or a namespace of
/// mounts, that ends with the test.
pub const DISKS: &str = disks::SCRIPT;

/// Tells all stories in a folder that is empty, but for the [disks](DISKS) when there are any.
pub async fn tell(system: &dyn System, folder: &Path, server: &Server, has_disks: bool) -> Vec<Line> {
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

/// A model of a machine on which the stories can be told in this folder, with the same server.
pub fn model(folder: &Path, server: &Server) -> ModelSystem {
    let model = ModelSystem::new().with_flowing_time().with_dir(folder);
    let model = http::model(disks::model(model, folder), &server.url(""));
    processes::model(model)
}

/// The server of the stories, on this machine.
pub fn server() -> Server {
    http::server()
}

/// The stories that did not go as they should, one on a line; nothing when there are none.
pub fn wrong(lines: &[Line]) -> String {
    let wrong = lines.iter().filter(|line| line.answer != line.expect);
    let shown = wrong.map(|line| format!("{}: {} instead of {}", line.story, line.answer, line.expect));
    shown.collect::<Vec<_>>().join("\n")
}
