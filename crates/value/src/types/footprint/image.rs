//! Normal form of image names: `nginx` is `nginx:latest` of Docker Hub.

use std::borrow::Cow;

/// Returns the name without its default registry and folder, with its tag or digest.
pub(super) fn normal(name: &str) -> Cow<'_, str> {
    let hub = ["index.docker.io/", "docker.io/"];
    let bare = hub.iter().find_map(|registry| name.strip_prefix(registry)).unwrap_or(name);
    let bare = bare.strip_prefix("library/").unwrap_or(bare);
    let last = bare.rsplit('/').next().unwrap_or(bare);
    if last.contains([':', '@']) { Cow::Borrowed(bare) } else { Cow::Owned(format!("{bare}:latest")) }
}
