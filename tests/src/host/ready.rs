//! The check whether hosts can be started.

use std::sync::OnceLock;

use super::image::image;
use super::registry;
use crate::docker::{self, docker, unique};
use crate::programs;

/// Returns the mount of the command under test: read-only and at the usual path.
pub(super) fn program() -> String {
    let program = programs().join("converge");
    format!("type=bind,readonly,source={},target=/usr/local/bin/converge", program.display())
}

/// Returns the address of the shared registry, or the reason why no host can start and how to fix it.
///
/// The check runs once per process.
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
        // The C library of this machine may be newer than that of the image.
        let (name, program) = (unique("ready"), program());
        let version = ["run", "--rm", "--name", &name, "--mount", &program, &image, "converge", "version"];
        match docker(&version) {
            Ok(_) => Ok(address),
            Err(failure) => Err(format!("programs of this machine do not run in a host: {failure}")),
        }
    })
}
