//! Names and permissions of entries of access control lists.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

use crate::file::acl_mask;

/// The name of an entry: `user:deploy`, `default:mask`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, HclText)]
pub(super) struct EntryName {
    /// Whether the entry belongs to the list for new files.
    pub(super) is_default: bool,
    pub(super) subject: Subject,
}

/// The subject of an entry, as a module names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Owner,
    User(String),
    Group,
    NamedGroup(String),
    Mask,
    Other,
}

impl FromStr for EntryName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix("default:").or_else(|| text.strip_prefix("d:"));
        let (kind, name) = rest.unwrap_or(text).split_once(':').unwrap_or((rest.unwrap_or(text), ""));
        let subject = match (kind, name) {
            ("user" | "u", "") => Subject::Owner,
            ("group" | "g", "") => Subject::Group,
            ("mask" | "m", "") => Subject::Mask,
            ("other" | "o", "") => Subject::Other,
            ("user" | "u", name) if is_account(name) => Subject::User(name.to_owned()),
            ("group" | "g", name) if is_account(name) => Subject::NamedGroup(name.to_owned()),
            _ => {
                return Err(format!(
                    "{text:?} is not the name of an entry, such as `user:deploy`, `group:web`, `mask` or `default:user:deploy`"
                ));
            }
        };
        Ok(Self { is_default: rest.is_some(), subject })
    }
}

fn is_account(name: &str) -> bool {
    !name.contains([':', ',', '/', '\0']) && !name.contains(char::is_whitespace)
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_default {
            f.write_str("default:")?;
        }
        match &self.subject {
            Subject::Owner => f.write_str("user"),
            Subject::User(name) => write!(f, "user:{name}"),
            Subject::Group => f.write_str("group"),
            Subject::NamedGroup(name) => write!(f, "group:{name}"),
            Subject::Mask => f.write_str("mask"),
            Subject::Other => f.write_str("other"),
        }
    }
}

/// The permissions of an entry, as three bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclText)]
pub(super) struct Permissions(pub(super) u32);

impl FromStr for Permissions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("{text:?} are no permissions, such as \"rw-\", \"rx\" or \"7\"");
        if let Some(digit) = text.parse().ok().filter(|bits| text.len() == 1 && *bits < 8) {
            return Ok(Self(digit));
        }
        let mut bits = 0;
        for letter in text.chars() {
            let bit = match letter {
                'r' => 4,
                'w' => 2,
                'x' => 1,
                '-' => continue,
                _ => return Err(refused()),
            };
            if bits & bit != 0 {
                return Err(refused());
            }
            bits |= bit;
        }
        if text.is_empty() || text.len() > 3 { Err(refused()) } else { Ok(Self(bits)) }
    }
}

impl fmt::Display for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&acl_mask::permissions(self.0))
    }
}
