//! Normal form of image names: `nginx` is `nginx:latest` of Docker Hub.

use std::borrow::Cow;

/// Returns the name without its default registry and folder, with its tag or digest.
pub(super) fn normal(name: &str) -> Cow<'_, str> {
    let hub = ["index.docker.io/", "docker.io/"];
    let short_name = hub.iter().find_map(|registry| name.strip_prefix(registry)).unwrap_or(name);
    let short_name = short_name.strip_prefix("library/").unwrap_or(short_name);
    let last = short_name.rsplit('/').next().unwrap_or(short_name);
    if last.contains([':', '@']) {
        Cow::Borrowed(short_name)
    } else {
        Cow::Owned(format!("{short_name}:latest"))
    }
}
