use std::fmt;
use std::str::FromStr;

use converge_sdk::footprint::Names;
use converge_sdk::prelude::*;

/// The name of a package, in the syntax of one of the package managers.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct PackageName(pub(super) String);

/// The footprint has the package, without a version.
impl Names for PackageName {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        add(self.0.split('=').next().unwrap_or_default());
    }
}

impl FromStr for PackageName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_word = |text: &str, others: &[u8]| {
            text.starts_with(|first: char| first.is_ascii_alphanumeric())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
        };
        let (name, version) = text.split_once('=').unwrap_or((text, "1"));
        if is_word(name, b"+-._:") && is_word(version, b".+-~^:_") {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("{text:?} is not the name of a package, with a version as in `mc=4.8.29-2`"))
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
