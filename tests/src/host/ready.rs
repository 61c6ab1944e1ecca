//! Whether there can be hosts.

use std::sync::OnceLock;

use super::image::image;
use super::registry;
use crate::docker::{self, docker, unique};
use crate::programs;

/// The command under test, as a mount: it is where a user would have it, and a host cannot change it.
pub(super) fn program() -> String {
    let program = programs().join("converge");
    format!("type=bind,readonly,source={},target=/usr/local/bin/converge", program.display())
}

/// Whether hosts can be started here: the address of the shared registry, or what is missing and how to get it. It is
/// found out once in a process.
pub(super) fn ready() -> &'static Result<String, String> {
    static READY: OnceLock<Result<String, String>> = OnceLock::new();
    READY.get_or_init(|| {
        let missing = |what: &str| {
            format!("{what}; `cargo xtask hosts up`, as root on Debian, makes what disposable hosts need")
        };
        if !docker::answers() {
            return Err(missing("there is no Docker engine"));
        }
        let image = image();
        if docker(&["image", "inspect", &image]).is_err() {
            return Err(missing(&format!("there is no image {image}")));
        }
        let address = registry::address(registry::SHARED);
        let address = address.map_err(|_| missing("there is no image registry"))?;
        // The C library of the machine may be newer than that of the image.
        let (name, program) = (unique("ready"), program());
        let version = ["run", "--rm", "--name", &name, "--mount", &program, &image, "converge", "version"];
        match docker(&version) {
            Ok(_) => Ok(address),
            Err(failure) => Err(format!("programs of this machine do not run in a host: {failure}")),
        }
    })
}
