//! The size of a volume: parsing, and conversion to extents.
//!
//! LVM gets sizes in extents. The check converts a share once, with LVM's own rounding. The plan therefore
//! shows exactly what the apply does, and a second apply finds the same number. A share of the free space
//! includes the space of the volume itself; otherwise `100%FREE` would be nothing as soon as the volume
//! exists.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

use crate::lvm::report::VolumeGroupReport;

/// The letters of units, each with its exponent of two.
const UNITS: [(char, u32); 8] =
    [('b', 0), ('s', 9), ('k', 10), ('m', 20), ('g', 30), ('t', 40), ('p', 50), ('e', 60)];

/// A size as a module declares it.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct Size {
    text: String,
    amount: Amount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Bytes(u64),
    Share { percent: u64, of: Whole },
}

/// The total that a share refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    Group,
    /// The space that other volumes leave free.
    Free,
}

impl Size {
    /// Whether the size depends on the state of the group.
    pub(super) fn is_share(&self) -> bool {
        matches!(self.amount, Amount::Share { .. })
    }

    /// Whether the size is never less than the present size of the volume.
    pub(super) fn only_grows(&self) -> bool {
        matches!(self.amount, Amount::Share { of: Whole::Free, .. })
    }

    /// Returns the size in extents of the group, for a volume that has `own` extents.
    pub(super) fn extents(&self, group: &VolumeGroupReport, current: u64) -> u64 {
        let share = |whole: u64, percent: u64| {
            let extents = u128::from(whole) * u128::from(percent) / 100;
            u64::try_from(extents).unwrap_or(whole)
        };
        match self.amount {
            // An extent size of zero, from a group without extents, must not cause a division by zero.
            Amount::Bytes(bytes) => bytes.div_ceil(group.extent_size.max(1)),
            Amount::Share { percent, of: Whole::Group } => share(group.extents, percent),
            Amount::Share { percent, of: Whole::Free } => {
                share(group.free_extents.saturating_add(current), percent)
            }
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let amount = match lower.split_once('%') {
            Some((percent, whole)) => share(text, percent.trim(), whole.trim())?,
            None => Amount::Bytes(bytes(text, &lower)?),
        };
        Ok(Self { text: text.to_owned(), amount })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn share(text: &str, percent: &str, base: &str) -> Result<Amount, String> {
    let kind = match base {
        "vg" | "pvs" => Whole::Group,
        "free" => Whole::Free,
        _ => {
            return Err(format!(
                "{text:?} is a share of something unknown: write `VG` or `FREE` after the `%`"
            ));
        }
    };
    match percent.parse() {
        Ok(percent @ 1..=100) => Ok(Amount::Share { percent, of: kind }),
        _ => Err(format!("{text:?} is not a share: it is between 1% and 100%")),
    }
}

/// Parses `1.5g`, `1gb`, `1gib`.
fn bytes(text: &str, lower: &str) -> Result<u64, String> {
    let end = lower.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(end);
    let no_size = || {
        format!(
            "{text:?} is not a size: write a number with a unit as in `10G`, or a share as in `50%VG` or `100%FREE`"
        )
    };
    let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
    if integer.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return Err(no_size());
    }
    let mut letters = unit.trim_start().chars();
    let letter = letters.next().ok_or_else(|| {
        format!("{text:?} has no unit: write one of b, s, k, m, g, t, p, e after the number, as in `{text}G`")
    })?;
    let (letter, power) = *UNITS.iter().find(|(known, _)| *known == letter).ok_or_else(no_size)?;
    let tail_is_known = match letters.as_str() {
        "" => true,
        "b" | "ib" => letter != 'b' && letter != 's',
        _ => false,
    };
    if !tail_is_known {
        return Err(no_size());
    }
    let too_large = || format!("{text:?} is larger than any volume");
    // `1.5` is 15 divided by 10.
    let digits = fraction.trim_end_matches('0');
    let scale = u32::try_from(digits.len()).ok().and_then(|places| 10_u128.checked_pow(places));
    let scaled = format!("{integer}{digits}").parse::<u128>().ok();
    let scaled = scaled.and_then(|number| number.checked_mul(1 << power)).ok_or_else(too_large)?;
    let scale = scale.ok_or_else(too_large)?;
    match u64::try_from(scaled.div_ceil(scale)).map_err(|_| too_large())? {
        0 => Err("a volume cannot have the size zero".to_owned()),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes() {
        let check = |text: &str, expect: &str| {
            let actual = match text.parse::<Size>() {
                Ok(Size { amount: Amount::Bytes(bytes), .. }) => bytes.to_string(),
                Ok(Size { amount: Amount::Share { percent, of }, .. }) => format!("{percent}% {of:?}"),
                Err(error) => error,
            };
            assert_eq!(actual, expect, "{text}");
        };
        check("1G", "1073741824");
        check("1g", "1073741824");
        check("1GB", "1073741824");
        check("1GiB", "1073741824");
        check(" 1 G ", "1073741824");
        check("1.5G", "1610612736");
        check("0.1g", "107374183");
        check("1.5b", "2");
        check("100b", "100");
        check("8S", "4096");
        check("3k", "3072");
        check("16e", "\"16e\" is larger than any volume");
        check("100%FREE", "100% Free");
        check("50%vg", "50% Group");
        check("5%PVS", "5% Group");
        check("0%FREE", "\"0%FREE\" is not a share: it is between 1% and 100%");
        check("101%VG", "\"101%VG\" is not a share: it is between 1% and 100%");
        check("1.5%VG", "\"1.5%VG\" is not a share: it is between 1% and 100%");
        check("10%", "\"10%\" is a share of something unknown: write `VG` or `FREE` after the `%`");
        check(
            "10%ORIGIN",
            "\"10%ORIGIN\" is a share of something unknown: write `VG` or `FREE` after the `%`",
        );
        check("10", "\"10\" has no unit: write one of b, s, k, m, g, t, p, e after the number, as in `10G`");
        check("0G", "a volume cannot have the size zero");
        let no_size = |text: &str| {
            let help = "write a number with a unit as in `10G`, or a share as in `50%VG` or `100%FREE`";
            check(text, &format!("{text:?} is not a size: {help}"));
        };
        for text in ["", "G", "1.G", ".5G", "1.2.3G", "-1G", "+1G", "1x", "1bb", "1 G G", "1Gx", "ä"] {
            no_size(text);
        }
    }

    #[test]
    fn extents() {
        let group =
            VolumeGroupReport { name: "data".into(), extent_size: 4 << 20, extents: 127, free_extents: 63 };
        let check = |text: &str, own: u64, expect: u64| {
            assert_eq!(text.parse::<Size>().unwrap().extents(&group, own), expect, "{text} {own}");
        };
        check("4M", 0, 1);
        check("4194305b", 0, 2);
        check("1b", 0, 1);
        // Shares are rounded down, as in LVM.
        check("50%VG", 0, 63);
        check("50%FREE", 0, 31);
        check("100%FREE", 0, 63);
        check("100%FREE", 7, 70);
        check("100%VG", 7, 127);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[0-9.]{0,50}[ a-zA-Z%]{0,6}") {
            let _ = text.parse::<Size>();
        }

        #[test]
        fn a_share_of_what_is_free_is_the_same_the_second_time(
            percent in 1_u64..=100, extents in 1_u64..1 << 40, used in 0_u64..1 << 40,
        ) {
            let size: Size = format!("{percent}%FREE").parse().unwrap();
            let free_extents = extents.saturating_sub(used);
            let mut group = VolumeGroupReport { name: String::new(), extent_size: 1, extents, free_extents };
            let allocation = size.extents(&group, 0);
            group.free_extents -= allocation;
            prop_assert_eq!(size.extents(&group, allocation), allocation);
        }
    }
}
