use converge_sdk::prelude::*;

/// Returns the error of a resource whose package manager this machine does not have.
pub(super) fn unsupported(cx: &Context, resource: &'static str, reason: String) -> Error {
    let platform = cx.system().platform();
    let platform = if platform.pretty_name.is_empty() { &platform.os } else { &platform.pretty_name };
    Error::Unsupported { resource, platform: platform.clone(), reason }
}
