use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The directory with the rules of all time zones.
pub(super) const ZONES: &str = "/usr/share/zoneinfo";

/// The name of a time zone.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct ZoneName(String);

impl FromStr for ZoneName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |char: char| char.is_ascii_alphanumeric() || "-_+".contains(char);
        let is_part = |part: &str| !part.is_empty() && !part.starts_with('-') && part.chars().all(allowed);
        // These two names refer to the present zone of the machine.
        let is_own = ["localtime", "posixrules"].contains(&text);
        if text.len() > 255 || is_own || !text.split('/').all(is_part) {
            return Err(format!("{text:?} is not the name of a time zone, such as `Europe/Berlin` or `UTC`"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ZoneName {
    /// Returns the path of the zone's rules.
    pub(super) fn path(&self) -> PathBuf {
        Path::new(ZONES).join(&self.0)
    }
}

/// Returns the zone that is the target of a link in `folder`, if the target is a zone.
pub(super) fn named_by(folder: &Path, target: &Path) -> Option<String> {
    let mut path = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    Some(path.strip_prefix(ZONES).ok()?.to_str()?.to_owned())
}
