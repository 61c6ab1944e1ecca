//! Detection of the platform.
//!
//! Detection never fails: an unknown value is empty. It runs no program and sends nothing. Each file is read
//! up to a limit, because routing tables and mount lists may be huge.

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
