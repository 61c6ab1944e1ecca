//! Statuses of checks that depend on a pending change.

use converge_sdk::prelude::*;

/// Returns the status of a check that has to wait for a pending change.
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

/// Returns the status of a check whose object is missing.
///
/// # Errors
///
/// Returns an error if no pending change may create the object.
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
