//! Tags: words by which a part of a module is chosen for a run.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What other tools give a meaning of its own; here it would be a word like any other, and nobody would be told.
const RESERVED: [&str; 5] = ["all", "always", "never", "tagged", "untagged"];

/// A word that a module gives to resources, and by which a run chooses them.
///
/// ```
/// use converge_core::graph::Tag;
///
/// let tag: Tag = "web".parse()?;
/// assert_eq!(tag.as_str(), "web");
/// assert!("web,db".parse::<Tag>().is_err());
/// # Ok::<(), converge_core::graph::ParseTagError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(Arc<str>);

impl Tag {
    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is no tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTagError {
    /// There is nothing.
    #[error("a tag cannot be empty")]
    Empty,
    /// A character that tags cannot have.
    #[error(
        "{tag:?} is no tag, as it has {found:?}: a tag is made of letters, digits, `-`, `_`, `.` and `:`"
    )]
    Character {
        /// The text.
        tag: String,
        /// The first such character.
        found: char,
    },
    /// A word with a meaning elsewhere that it does not have here.
    #[error("`{tag}` cannot be a tag: it has a meaning of its own in other tools, and would have none here")]
    Reserved {
        /// The word.
        tag: &'static str,
    },
}

impl FromStr for Tag {
    type Err = ParseTagError;

    fn from_str(text: &str) -> Result<Self, ParseTagError> {
        if text.is_empty() {
            return Err(ParseTagError::Empty);
        }
        let may_be = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if let Some(found) = text.chars().find(|c| !may_be(*c)) {
            return Err(ParseTagError::Character { tag: text.to_owned(), found });
        }
        match RESERVED.into_iter().find(|reserved| *reserved == text) {
            Some(tag) => Err(ParseTagError::Reserved { tag }),
            None => Ok(Self(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_a_word() {
        let check = |text: &str, expect: Result<(), &str>| {
            let parsed = text.parse::<Tag>();
            let found =
                parsed.as_ref().map(|tag| assert_eq!(tag.to_string(), text)).map_err(ToString::to_string);
            assert_eq!(found, expect.map_err(str::to_owned), "{text:?}");
        };
        check("web", Ok(()));
        check("web:v1.2_b-c", Ok(()));
        check("Überblick", Ok(()));
        check("1", Ok(()));
        check("", Err("a tag cannot be empty"));
        let made_of = "a tag is made of letters, digits, `-`, `_`, `.` and `:`";
        check("a,b", Err(&format!("\"a,b\" is no tag, as it has ',': {made_of}")));
        check(" a", Err(&format!("\" a\" is no tag, as it has ' ': {made_of}")));
        check("a\u{1b}[0m", Err(&format!("\"a\\u{{1b}}[0m\" is no tag, as it has '\\u{{1b}}': {made_of}")));
        check(
            "never",
            Err(
                "`never` cannot be a tag: it has a meaning of its own in other tools, and would have none here",
            ),
        );
    }
}
