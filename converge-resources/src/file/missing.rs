//! A path that is managed and is not there.

use converge_core::prelude::*;

/// The status of a check whose path does not exist: in a plan, something that the resource depends on
/// may be about to make it.
///
/// # Errors
///
/// The path does not exist, and nothing is about to make it.
pub(super) fn check(cx: &Context, destination: &str) -> Result<Status> {
    if cx.pending().is_empty() {
        return Err(Error::NotFound { kind: "file", name: destination.to_owned() });
    }
    let mut status = Status::new();
    status.add_message(format!("{destination} does not exist yet"));
    status.raise_level(StatusLevel::MayChange);
    Ok(status)
}
