//! The types of names in an identity, each with its rule.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::debug_as_text;

mod rule;
#[cfg(test)]
mod tests;

pub use rule::Naming;

/// The error of a text that breaks the rule for its kind of name.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {naming}: {}", .naming.rule())]
pub struct InvalidName {
    /// The kind of name that was expected.
    pub naming: Naming,
    /// The text.
    pub text: String,
}

debug_as_text!(InvalidName);

/// Defines one type for each [`Naming`], so that they cannot be confused.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, InvalidName> {
                if Naming::$name.accepts(text) {
                    Ok(Self(text.into()))
                } else {
                    Err(InvalidName { naming: Naming::$name, text: text.to_owned() })
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;

            fn try_from(text: String) -> Result<Self, InvalidName> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.as_str().to_owned()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), self.as_str())
            }
        }
    )*};
}

names! {
    /// The group of a [`Type`](crate::Type), a family of types.
    ///
    /// It is written in `snake_case`: two characters or more, `a-z`, `0-9` and `_`, a letter first.
    ///
    /// ```
    /// use converge_controller::Group;
    ///
    /// assert!("service_mesh".parse::<Group>().is_ok());
    /// assert_eq!(
    ///     "ServiceMesh".parse::<Group>().unwrap_err().to_string(),
    ///     "\"ServiceMesh\" is not a group: it is written in snake_case, 2 characters or more: a-z, 0-9 and _, a \
    ///      letter first"
    /// );
    /// ```
    Group;

    /// The version of the schema of a [`Type`](crate::Type): `v`, then `a-z` and `0-9`, a digit last.
    /// `v1`, `v2beta1`.
    ///
    /// ```
    /// use converge_controller::GroupVersion;
    ///
    /// assert!("v2beta1".parse::<GroupVersion>().is_ok());
    /// assert!("2".parse::<GroupVersion>().is_err());
    /// ```
    GroupVersion;

    /// The kind of a [`Type`](crate::Type): the thing that the type describes.
    ///
    /// It is written in `PascalCase`: two characters or more, `A-Z`, `a-z` and `0-9`, a capital first.
    ///
    /// ```
    /// use converge_controller::Kind;
    ///
    /// assert!("TrafficPolicy".parse::<Kind>().is_ok());
    /// assert!("traffic_policy".parse::<Kind>().is_err());
    /// ```
    Kind;

    /// The name of a resource, unique within its type and tenancy.
    ///
    /// It is a lower-case DNS label of 1 to 63 characters: `a-z`, `0-9` and `-`, with no `-` at either end.
    ///
    /// ```
    /// use converge_controller::Name;
    ///
    /// assert!("web-1".parse::<Name>().is_ok());
    /// assert_eq!(
    ///     "Web".parse::<Name>().unwrap_err().to_string(),
    ///     "\"Web\" is not a name: it is a lower-case DNS label, 1 to 63 characters: a-z, 0-9 and -, a letter or a \
    ///      digit at both ends"
    /// );
    /// ```
    Name;

    /// The larger unit of a [`Tenancy`](crate::Tenancy). The rule is that of a [`Name`].
    Partition;

    /// The smaller unit of a [`Tenancy`](crate::Tenancy), inside a [`Partition`]. The rule is that of a
    /// [`Name`].
    Namespace;
}

impl Default for Partition {
    /// Returns `default`.
    fn default() -> Self {
        Self(Arc::from("default"))
    }
}

impl Default for Namespace {
    /// Returns `default`.
    fn default() -> Self {
        Self(Arc::from("default"))
    }
}
