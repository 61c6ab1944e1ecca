//! Uids of resources and generations of their states, as ULIDs.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::debug_as_text;

#[cfg(test)]
mod tests;

/// The kinds of ULIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Marking {
    /// A [`Uid`].
    Uid,
    /// A [`Generation`].
    Generation,
}

impl fmt::Display for Marking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Uid => "uid",
            Self::Generation => "generation",
        })
    }
}

/// The error of a text that is not a [`Uid`] or not a [`Generation`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a {marking}: it is a ULID, 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7"
)]
pub struct UlidError {
    /// The kind that was expected.
    pub marking: Marking,
    /// The text.
    pub text: String,
}

debug_as_text!(UlidError);

/// The digits of Crockford's base 32.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;
const BITS_PER_DIGIT: usize = 5;
const RANDOM_BITS: u32 = 80;

/// Parses the bits of a text.
fn parse(text: &str) -> Option<u128> {
    let digit = |byte: u8| DIGITS.iter().position(|digit| *digit == byte.to_ascii_uppercase());
    let fits = text.len() == LENGTH && text.as_bytes()[0] <= b'7';
    let text = fits.then_some(text)?;
    text.bytes().try_fold(0, |bits: u128, byte| Some(bits << BITS_PER_DIGIT | digit(byte)? as u128))
}

/// Formats bits as text.
fn text(bits: u128) -> String {
    let digit = |place: usize| char::from(DIGITS[(bits >> (place * BITS_PER_DIGIT)) as usize % DIGITS.len()]);
    (0..LENGTH).rev().map(digit).collect()
}

/// Defines one type for each [`Marking`], so that they cannot be confused.
macro_rules! ulids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(u128);

        impl $name {
            /// Creates a value from 128 bits: the time in the upper 48, random bits in the lower 80.
            pub const fn from_bits(bits: u128) -> Self {
                Self(bits)
            }

            /// Creates a value from a time in milliseconds, and the lower 80 of these random bits.
            pub fn at(time: SystemTime, random: u128) -> Self {
                let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
                Self((since.as_millis() << RANDOM_BITS) | (random & ((1 << RANDOM_BITS) - 1)))
            }

            /// Returns the 128 bits.
            pub const fn to_bits(self) -> u128 {
                self.0
            }

            /// Returns the time of creation, in milliseconds.
            pub fn created(self) -> SystemTime {
                // The time has 48 bits, so the conversion cannot fail; the year is at most 10889.
                let milliseconds = u64::try_from(self.0 >> RANDOM_BITS).unwrap_or(u64::MAX);
                UNIX_EPOCH + Duration::from_millis(milliseconds)
            }
        }

        impl FromStr for $name {
            type Err = UlidError;

            /// Parses a text; lower-case letters are accepted.
            fn from_str(text: &str) -> Result<Self, UlidError> {
                let error = || UlidError { marking: Marking::$name, text: text.to_owned() };
                parse(text).map(Self).ok_or_else(error)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&text(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl TryFrom<String> for $name {
            type Error = UlidError;

            fn try_from(text: String) -> Result<Self, UlidError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(ulid: $name) -> String {
                ulid.to_string()
            }
        }
    )*};
}

ulids! {
    /// The unique identifier of a resource, which distinguishes it from earlier ones with the same name.
    ///
    /// The store creates the uid with the resource, and never uses it again.
    ///
    /// It is a [ULID](https://github.com/ulid/spec): 48 bits of time in milliseconds, then 80 random bits, as
    /// a text of 26 characters. Uids are ordered by their time.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use converge_controller::Uid;
    ///
    /// let uid: Uid = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?;
    /// assert_eq!(uid.created(), UNIX_EPOCH + Duration::from_millis(1_469_922_850_259));
    /// # Ok::<(), converge_controller::UlidError>(())
    /// ```
    Uid;

    /// The identifier of one state of a resource.
    ///
    /// Each write of the resource creates a new generation; a write of a status does not. A status names the
    /// generation that it is about. A generation is a ULID like a [`Uid`]; its time is that of the last
    /// modification.
    Generation;
}
