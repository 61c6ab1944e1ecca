use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The name of a group of alternatives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, HclText)]
pub(super) struct AlternativeName(String);

impl FromStr for AlternativeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_allowed = |char: char| char.is_ascii_graphic() && char != '/';
        let is_hidden = text.starts_with(['-', '.']);
        if text.is_empty() || text.len() > 200 || is_hidden || !text.chars().all(is_allowed) {
            return Err(format!("{text:?} is not the name of alternatives, such as `editor`"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for AlternativeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
