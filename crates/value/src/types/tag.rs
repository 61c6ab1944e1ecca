//! Tags: words that select a part of a module for a run.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::debug_as_text;

/// Words with a special meaning in other tools; using them as plain tags here would surprise silently.
const RESERVED: [&str; 5] = ["all", "always", "never", "tagged", "untagged"];

/// A word that a module assigns to resources so that a run can select them.
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
    /// Returns the word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An error for a text that is not a valid tag.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTagError {
    /// The text is empty.
    #[error("a tag cannot be empty")]
    Empty,
    /// The text contains a character that tags cannot have.
    #[error(
        "{tag:?} is not a tag, as it has {found:?}: a tag is made of letters, digits, `-`, `_`, `.` and `:`"
    )]
    Character {
        /// The text.
        tag: String,
        /// The first invalid character.
        found: char,
    },
    /// The word has a meaning in other tools that it does not have here.
    #[error("`{tag}` cannot be a tag: it has a special meaning in other tools, but not here")]
    Reserved {
        /// The word.
        tag: &'static str,
    },
}

debug_as_text!(ParseTagError);

impl FromStr for Tag {
    type Err = ParseTagError;

    fn from_str(text: &str) -> Result<Self, ParseTagError> {
        if text.is_empty() {
            return Err(ParseTagError::Empty);
        }
        let may_be = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if let Some(character) = text.chars().find(|c| !may_be(*c)) {
            return Err(ParseTagError::Character { tag: text.to_owned(), found: character });
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
            let actual =
                parsed.as_ref().map(|tag| assert_eq!(tag.to_string(), text)).map_err(ToString::to_string);
            assert_eq!(actual, expect.map_err(str::to_owned), "{text:?}");
        };
        check("web", Ok(()));
        check("web:v1.2_b-c", Ok(()));
        check("Überblick", Ok(()));
        check("1", Ok(()));
        check("", Err("a tag cannot be empty"));
        let made_of = "a tag is made of letters, digits, `-`, `_`, `.` and `:`";
        check("a,b", Err(&format!("\"a,b\" is not a tag, as it has ',': {made_of}")));
        check(" a", Err(&format!("\" a\" is not a tag, as it has ' ': {made_of}")));
        check(
            "a\u{1b}[0m",
            Err(&format!("\"a\\u{{1b}}[0m\" is not a tag, as it has '\\u{{1b}}': {made_of}")),
        );
        check("never", Err("`never` cannot be a tag: it has a special meaning in other tools, but not here"));
    }
}
