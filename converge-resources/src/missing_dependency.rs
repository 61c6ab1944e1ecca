//! What a plan says of something that does not exist yet, and that a pending change may make.

use converge_core::prelude::*;

/// The status of a check that cannot say more before something else is there.
#[cfg_attr(
    all(
        feature = "package",
        not(any(feature = "docker", feature = "file", feature = "user", feature = "systemd"))
    ),
    allow(dead_code, reason = "packages have no use for it")
)]
pub(crate) fn not_yet(message: impl Into<String>) -> Status {
    let mut status = Status::new();
    status.add_message(message);
    status.raise_level(StatusLevel::MayChange);
    status
}

/// The status of a check for which something is missing: it fails, unless a pending change may make it.
#[cfg(any(feature = "file", feature = "lvm"))]
pub(crate) fn missing(
    cx: &Context,
    kind: &'static str,
    name: &str,
    message: impl Into<String>,
) -> Result<Status> {
    if cx.pending().is_empty() {
        return Err(Error::NotFound { kind, name: name.to_owned() });
    }
    Ok(not_yet(message))
}
