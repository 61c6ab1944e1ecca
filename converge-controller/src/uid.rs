//! Which one of several resources that had the same name.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// Tells a resource from an earlier one of the same name. The store makes it when it creates the resource; it is
/// never used again.
///
/// It is a [ULID](https://github.com/ulid/spec): 48 bits of time in milliseconds, then 80 random bits, as text 26
/// characters. Uids in order are in the order of their time.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use converge_controller::Uid;
///
/// let uid: Uid = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?;
/// assert_eq!(uid.created(), UNIX_EPOCH + Duration::from_millis(1_469_922_850_259));
/// # Ok::<(), converge_controller::UidError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Uid(u128);

/// A text is not a [`Uid`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a uid: it is a ULID, 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7"
)]
pub struct UidError {
    /// The text as it was given.
    pub text: String,
}

/// Crockford's base 32.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;
const BITS_PER_DIGIT: usize = 5;
const RANDOM_BITS: u32 = 80;

impl Uid {
    /// The uid of these 128 bits: time in the upper 48, random in the lower 80.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Its 128 bits.
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// When the resource was created, to the millisecond.
    pub fn created(self) -> SystemTime {
        // 48 bits fit; the year is 10889 at the latest.
        let milliseconds = u64::try_from(self.0 >> RANDOM_BITS).unwrap_or(u64::MAX);
        UNIX_EPOCH + Duration::from_millis(milliseconds)
    }
}

impl FromStr for Uid {
    type Err = UidError;

    /// Small letters mean the same as capitals.
    fn from_str(text: &str) -> Result<Self, UidError> {
        let digit = |byte: u8| DIGITS.iter().position(|digit| *digit == byte.to_ascii_uppercase());
        let fits = text.len() == LENGTH && text.as_bytes()[0] <= b'7';
        let bits = fits.then_some(text).and_then(|text| {
            text.bytes().try_fold(0, |bits: u128, byte| Some(bits << BITS_PER_DIGIT | digit(byte)? as u128))
        });
        bits.map(Self).ok_or_else(|| UidError { text: text.to_owned() })
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = (0..LENGTH)
            .rev()
            .map(|place| char::from(DIGITS[(self.0 >> (place * BITS_PER_DIGIT)) as usize % DIGITS.len()]))
            .collect();
        f.pad(&text)
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uid({self})")
    }
}

impl TryFrom<String> for Uid {
    type Error = UidError;

    fn try_from(text: String) -> Result<Self, UidError> {
        text.parse()
    }
}

impl From<Uid> for String {
    fn from(uid: Uid) -> String {
        uid.to_string()
    }
}
