use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The name of a locale.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct LocaleName(String);

impl FromStr for LocaleName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let allowed = |char: char| char.is_ascii_alphanumeric() || "_.@-".contains(char);
        let is_start_valid = text.starts_with(|first: char| first.is_ascii_alphabetic());
        if !is_start_valid || text.len() > 64 || text.contains("..") || !text.chars().all(allowed) {
            return Err(format!("{text:?} is not the name of a locale, such as `de_DE.UTF-8` or `C.UTF-8`"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for LocaleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl LocaleName {
    /// Whether another name means the same locale: `de_DE.utf8` is `de_DE.UTF-8`.
    pub(super) fn matches(&self, other: &str) -> bool {
        plain(&self.0) == plain(other)
    }

    /// Whether the locale is part of the C library.
    pub(super) fn is_built_in(&self) -> bool {
        ["C", "POSIX", "C.utf8"].iter().any(|name| self.matches(name))
    }

    /// Returns the language, which is part of package names.
    pub(super) fn language(&self) -> &str {
        self.0.split(['_', '.', '@']).next().unwrap_or_default()
    }
}

/// Returns a name as `locale -a` prints it: the character set in lower case letters and digits.
fn plain(name: &str) -> String {
    let (name, modifier) = name.split_once('@').map_or((name, None), |(name, of)| (name, Some(of)));
    let mut output = match name.split_once('.') {
        None => name.to_owned(),
        Some((name, set)) => {
            let set: String = set.chars().filter(char::is_ascii_alphanumeric).collect();
            format!("{name}.{}", set.to_ascii_lowercase())
        }
    };
    if let Some(modifier) = modifier {
        output.push('@');
        output.push_str(modifier);
    }
    output
}
