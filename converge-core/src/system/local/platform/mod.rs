//! What the machine runs, and what it is.
//!
//! Nothing here fails: what the machine does not say is empty. No program is run, and nothing is sent. Each file is read up to a
//! limit, as routing tables and lists of mounts may be huge.

mod container;
mod hardware;
mod names;
mod network;
mod release;

use std::fs::File;
use std::io::Read as _;

use crate::types::platform::Platform;

/// The most bytes that are read of one file.
const MOST: u64 = 1 << 20;

pub(super) fn detect() -> Platform {
    let mut platform = Platform::new(match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    });
    release::read(&mut platform);
    names::read(&mut platform);
    network::read(&mut platform);
    hardware::read(&mut platform);
    platform.virtualization = container::virtualization();
    platform.init_system = container::init_system();
    platform.selinux = container::selinux();
    platform
}

/// The text of a file of the machine, as much of it as is read; nothing where it cannot be read.
fn text_of(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first line of a file of the machine, without the blanks around it.
fn line_of(path: &str) -> Option<String> {
    let text = text_of(path)?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
