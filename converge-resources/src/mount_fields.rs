//! Field types of mounts.

use std::fmt;
#[cfg(feature = "system")]
use std::path::Path;
use std::str::FromStr;

use converge_sdk::footprint::{Names, kind};
use converge_sdk::prelude::*;

/// An absolute path without `.`, `..`, double slashes and line breaks.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct Directory(String);

impl Names for Directory {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        add(&self.0);
    }
}

impl Directory {
    #[cfg(feature = "system")]
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    #[cfg(feature = "system")]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0 == "/"
    }
}

impl FromStr for Directory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/').filter(|part| !part.is_empty() && *part != ".");
        if !text.starts_with('/') || text.contains(char::is_control) || parts.clone().any(|part| part == "..")
        {
            return Err(format!(
                "{text:?} is not an absolute path of a directory: it begins with `/`, and has no `..` and no line breaks"
            ));
        }
        let path = parts.by_ref().fold(String::new(), |path, part| path + "/" + part);
        Ok(Self(if path.is_empty() { "/".to_owned() } else { path }))
    }
}

/// One option of a mount.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct MountOption(String);

impl FromStr for MountOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = |letter: char| letter == ',' || letter.is_whitespace() || letter.is_control();
        if text.is_empty() || text.contains(refused) {
            return Err(format!("{text:?} is not a mount option: it is one word without commas"));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Options with the path of a file or directory; layers of `overlay` are separated by colons.
const WITH_PATHS: [&str; 5] = ["credentials", "cred", "lowerdir", "upperdir", "workdir"];

/// Options name users (`uid=ada`), groups (`gid=www`) and files (`credentials=/etc/cifs`).
impl Names for MountOption {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        let Some((option, value)) = self.0.split_once('=') else { return };
        let is_name = || !value.is_empty() && !value.bytes().all(|byte| byte.is_ascii_digit());
        match (kind, option) {
            (kind::USER, "uid") | (kind::GROUP, "gid") if is_name() => add(value),
            (kind::PATH, option) if WITH_PATHS.contains(&option) => {
                value.split(':').filter(|path| path.starts_with('/')).for_each(add);
            }
            _ => {}
        }
    }
}

#[cfg(feature = "lvm")]
impl MountOption {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for MountOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
