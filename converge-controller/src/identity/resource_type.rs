//! Types of resources.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Group, GroupVersion, InvalidName, Kind};
use crate::debug_as_text;

#[cfg(test)]
mod tests;

/// The type of a resource: group, version and kind.
///
/// Its text is `group.group_version.Kind`.
///
/// ```
/// use converge_controller::Type;
///
/// let artist: Type = "demo.v2.Artist".parse()?;
/// assert_eq!(artist.kind.as_str(), "Artist");
/// assert_eq!(artist.to_string(), "demo.v2.Artist");
/// # Ok::<(), converge_controller::TypeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// The group, a family of types.
    pub group: Group,
    /// The version of the schema.
    pub group_version: GroupVersion,
    /// The kind: the thing that the type describes.
    pub kind: Kind,
}

/// The error of a text that is not a [`Type`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    /// The text does not have three parts.
    #[error("a type is written as group.group_version.Kind, got {text:?}")]
    Form {
        /// The text.
        text: String,
    },
    /// A part breaks its rule.
    #[error("a type is written as group.group_version.Kind, got {text:?}: {source}")]
    Part {
        /// The text.
        text: String,
        /// The invalid part and its rule.
        source: InvalidName,
    },
}

debug_as_text!(TypeError);

impl Type {
    /// Creates a type from its parts.
    pub fn new(group: Group, group_version: GroupVersion, kind: Kind) -> Self {
        Self { group, group_version, kind }
    }

    /// Returns the full name of the protobuf message: the text of the type below the package `converge`.
    pub fn message_name(&self) -> String {
        format!("converge.{self}")
    }
}

impl FromStr for Type {
    type Err = TypeError;

    fn from_str(text: &str) -> Result<Self, TypeError> {
        let mut parts = text.split('.');
        let (Some(group), Some(group_version), Some(kind), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TypeError::Form { text: text.to_owned() });
        };
        let part_error = |source| TypeError::Part { text: text.to_owned(), source };
        Ok(Self {
            group: group.parse().map_err(part_error)?,
            group_version: group_version.parse().map_err(part_error)?,
            kind: kind.parse().map_err(part_error)?,
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.group, self.group_version, self.kind)
    }
}
