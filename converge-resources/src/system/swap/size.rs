//! The size of a swap file.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The minimum size that `mkswap` accepts, in bytes: ten pages.
pub(super) const LEAST: u64 = 40 << 10;

/// The letters of units, each with its exponent of two.
const UNITS: [(char, u32); 4] = [('k', 10), ('m', 20), ('g', 30), ('t', 40)];

/// A size as a module declares it.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct Size {
    text: String,
    pub(super) bytes: u64,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let end = lower.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(lower.len());
        let (number, unit) = lower.split_at(end);
        let mut letters = unit.trim_start().chars();
        let power = letters.next().and_then(|letter| UNITS.iter().find(|(known, _)| *known == letter));
        let (Some((_, power)), Ok(number), "" | "b" | "ib") =
            (power, number.parse::<u64>(), letters.as_str())
        else {
            return Err(format!(
                "{text:?} is not a size: write a whole number with one of K, M, G and T behind it, as in `512M`"
            ));
        };
        let bytes = number.checked_mul(1 << power).filter(|bytes| i64::try_from(*bytes).is_ok());
        match bytes {
            Some(bytes) if bytes >= LEAST => Ok(Self { text: text.to_owned(), bytes }),
            Some(_) => Err(format!("{text:?} is too small: the kernel swaps to 40K or more")),
            None => Err(format!("{text:?} is larger than any file")),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
