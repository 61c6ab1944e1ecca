//! The rules of names.

use std::fmt;

/// The kinds of names, each with its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Naming {
    /// The rule of a [`Group`](crate::Group).
    Group,
    /// The rule of a [`GroupVersion`](crate::GroupVersion).
    GroupVersion,
    /// The rule of a [`Kind`](crate::Kind).
    Kind,
    /// The rule of a [`Name`](crate::Name).
    Name,
    /// The rule of a [`Partition`](crate::Partition).
    Partition,
    /// The rule of a [`Namespace`](crate::Namespace).
    Namespace,
}

/// The maximum length of a DNS label, from RFC 1035, section 2.3.4.
const LABEL_LENGTH: usize = 63;

impl Naming {
    /// Returns the rule in words.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Group => {
                "it is written in snake_case, 2 characters or more: a-z, 0-9 and _, a letter first"
            }
            Self::GroupVersion => "it is written as v1 or v2beta1: v, then a-z and 0-9, a digit last",
            Self::Kind => {
                "it is written in PascalCase, 2 characters or more: A-Z, a-z and 0-9, a capital first"
            }
            Self::Name | Self::Partition | Self::Namespace => {
                "it is a lower-case DNS label, 1 to 63 characters: a-z, 0-9 and -, a letter or a digit at both ends"
            }
        }
    }

    /// Returns whether a text follows the rule.
    pub(super) fn accepts(self, text: &str) -> bool {
        match (self, text.as_bytes()) {
            (Self::Group, [first, rest @ ..]) => {
                first.is_ascii_lowercase() && !rest.is_empty() && rest.iter().all(|&b| lower(b) || b == b'_')
            }
            (Self::GroupVersion, [b'v', middle @ .., last]) => {
                last.is_ascii_digit() && middle.iter().all(|&b| lower(b))
            }
            (Self::Kind, [first, rest @ ..]) => {
                first.is_ascii_uppercase() && !rest.is_empty() && rest.iter().all(u8::is_ascii_alphanumeric)
            }
            (Self::Name | Self::Partition | Self::Namespace, label) => is_label(label),
            (Self::Group | Self::GroupVersion | Self::Kind, _) => false,
        }
    }
}

fn is_label(label: &[u8]) -> bool {
    let has_valid_ends = label.first().is_some_and(|&b| lower(b)) && label.last().is_some_and(|&b| lower(b));
    has_valid_ends && label.len() <= LABEL_LENGTH && label.iter().all(|&b| lower(b) || b == b'-')
}

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Group => "group",
            Self::GroupVersion => "group version",
            Self::Kind => "kind",
            Self::Name => "name",
            Self::Partition => "partition",
            Self::Namespace => "namespace",
        })
    }
}
