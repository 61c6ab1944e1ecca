//! What the machine runs, and what it is.
//!
//! Nothing here fails: what the machine does not say is empty. No program is run, and nothing is sent. Each file is read up to a
//! limit, as routing tables and lists of mounts may be huge.

mod container;
mod hardware;
mod names;
mod network;
mod release;
mod text;

use crate::types::platform::Platform;

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
