use converge_sdk::prelude::*;

/// Returns the error of a resource that does not work on this machine.
pub(crate) fn unsupported(cx: &Context, resource: &'static str, reason: impl Into<String>) -> Error {
    Error::Unsupported { resource, platform: cx.system().platform().os.clone(), reason: reason.into() }
}

/// Returns an error unless the machine runs Linux.
pub(crate) fn only_on_linux(cx: &Context, resource: &'static str, reason: &str) -> Result<()> {
    if cx.system().platform().os == "linux" { Ok(()) } else { Err(unsupported(cx, resource, reason)) }
}
