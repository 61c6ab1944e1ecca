//! Owners of states, locks and refreshes.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use converge_value::debug_as_text;

/// The maximum length of a name in bytes, so that it is a valid file name everywhere.
const LONGEST: usize = 128;

/// The name of the owner of a run, such as a tenant of an application.
///
/// Runs of different owners do not wait for each other and see nothing of each other, even with one
/// [`State`](super::State). Each owner has its own [run lock](crate::Engine::with_owner), groups and
/// refreshes.
///
/// A name consists of letters, digits and any of `.`, `_`, `@`, `+` and `-`. It begins with a letter or a
/// digit, and is at most 128 bytes long. It is used as a folder name.
///
/// ```
/// use converge_core::state::Owner;
///
/// let owner: Owner = "blue@example.com".parse()?;
/// assert_eq!(owner.as_str(), "blue@example.com");
/// assert!("../blue".parse::<Owner>().is_err());
/// # Ok::<(), converge_core::state::InvalidOwner>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Owner(Arc<str>);

/// The reason why a text is not a valid owner name.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} cannot name an owner: {problem}")]
pub struct InvalidOwner {
    /// The text.
    name: String,
    problem: Problem,
}

debug_as_text!(InvalidOwner);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("it is empty")]
    Empty,
    #[error("it has more than {LONGEST} bytes")]
    Long,
    #[error("it must begin with a letter or a digit")]
    First,
    #[error("{0:?} is not allowed: write letters a to z, digits, `.`, `_`, `@`, `+` and `-`")]
    Character(char),
}

impl Owner {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Owner {
    type Err = InvalidOwner;

    fn from_str(name: &str) -> Result<Self, InvalidOwner> {
        let is_allowed = |c: &char| c.is_ascii_alphanumeric() || "._@+-".contains(*c);
        let problem = match name.chars().next() {
            None => Some(Problem::Empty),
            Some(_) if name.len() > LONGEST => Some(Problem::Long),
            Some(first) if is_allowed(&first) && !first.is_ascii_alphanumeric() => Some(Problem::First),
            Some(_) => name.chars().find(|c| !is_allowed(c)).map(Problem::Character),
        };
        match problem {
            None => Ok(Self(name.into())),
            // The message quotes only the beginning of a long name.
            Some(problem) => Err(InvalidOwner { name: name.chars().take(LONGEST).collect(), problem }),
        }
    }
}

impl TryFrom<String> for Owner {
    type Error = InvalidOwner;

    fn try_from(name: String) -> Result<Self, InvalidOwner> {
        name.parse()
    }
}

impl From<Owner> for String {
    fn from(owner: Owner) -> Self {
        owner.as_str().to_owned()
    }
}

impl AsRef<str> for Owner {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Owner {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_the_name_of_one_folder() {
        for name in ["a", "7", "acme", "Blue.Green_7", "a@b.example", "a+b-c", &"x".repeat(LONGEST)] {
            assert_eq!(name.parse::<Owner>().unwrap().as_str(), name);
        }
        let check = |name: &str, expect: &str| {
            let error = name.parse::<Owner>().unwrap_err().to_string();
            assert!(error.ends_with(expect), "{error}");
        };
        check("", "it is empty");
        check(".", "it must begin with a letter or a digit");
        check("..", "it must begin with a letter or a digit");
        check("-rf", "it must begin with a letter or a digit");
        check("a/b", "'/' is not allowed: write letters a to z, digits, `.`, `_`, `@`, `+` and `-`");
        check("/etc", "'/' is not allowed: write letters a to z, digits, `.`, `_`, `@`, `+` and `-`");
        check("a\0", "'\\0' is not allowed: write letters a to z, digits, `.`, `_`, `@`, `+` and `-`");
        check("ä", "'ä' is not allowed: write letters a to z, digits, `.`, `_`, `@`, `+` and `-`");
        check(&"x".repeat(LONGEST + 1), "it has more than 128 bytes");
    }

    #[test]
    fn an_owner_is_written_as_its_name() {
        let owner: Owner = serde_json::from_str("\"acme\"").unwrap();
        assert_eq!(serde_json::to_string(&owner).unwrap(), "\"acme\"");
        assert!(serde_json::from_str::<Owner>("\"a/b\"").is_err());
    }
}
