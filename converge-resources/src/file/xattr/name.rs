//! Names of extended attributes.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The maximum length of a name in bytes.
const NAME_BYTES: usize = 255;

/// The name of an extended attribute in a namespace that is managed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, HclText)]
pub(super) struct AttributeName(String);

impl AttributeName {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AttributeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('.') {
            Some(("user" | "trusted", name))
                if !name.is_empty() && text.len() <= NAME_BYTES && !text.contains('\0') =>
            {
                Ok(Self(text.to_owned()))
            }
            Some(("system", _)) => Err(format!("{text:?} is an attribute of the kernel: see `file.acl`")),
            Some(("security", _)) => {
                Err(format!("{text:?} is an attribute of the kernel: see `file.capability`"))
            }
            _ => Err(format!("{text:?} is not the name of an attribute, such as `user.comment`")),
        }
    }
}

impl fmt::Display for AttributeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
