//! The times at which cron runs a job.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// A named time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum Special {
    /// The start of cron.
    Reboot,
    /// The beginning of each hour.
    Hourly,
    /// Midnight of each day.
    Daily,
    /// Midnight of each day.
    Midnight,
    /// Midnight of each Sunday.
    Weekly,
    /// Midnight of the first day of each month.
    Monthly,
    /// Midnight of the first of January.
    Yearly,
    /// Midnight of the first of January.
    Annually,
}

/// The times of a job in the syntax of cron.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Times(String);

impl Times {
    pub(super) fn new(special: Option<Special>, fields: [Option<String>; 5]) -> Self {
        Self(match special {
            Some(special) => format!("@{}", special.as_str()),
            None => fields.map(|field| field.unwrap_or_else(|| "*".to_owned())).join(" "),
        })
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The accepted values of one of the five fields.
struct Range {
    what: &'static str,
    from: u8,
    to: u8,
    names: &'static [&'static str],
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Range {
    /// Returns an error if cron would not accept the text.
    fn check(&self, text: &str) -> Result<(), String> {
        // A name must be the only value of the field.
        if self.names.contains(&text.to_ascii_lowercase().as_str()) {
            return Ok(());
        }
        text.split(',').try_for_each(|part| self.part(part)).map_err(|reason| {
            let Self { what, from, to, .. } = self;
            format!("{text:?} is not a valid {what} of cron: {reason}; it is `*`, `*/15`, or numbers from {from} to {to} as in `{from}`, `{from},{to}` or `{from}-{to}`")
        })
    }

    fn part(&self, part: &str) -> Result<(), String> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (part, None),
        };
        let is_wide = match range.split_once('-') {
            _ if range == "*" => true,
            Some((first, last)) => {
                if self.number(first)? > self.number(last)? {
                    return Err(format!("`{range}` ends before it begins"));
                }
                true
            }
            None => {
                self.number(range)?;
                false
            }
        };
        match step {
            None => Ok(()),
            Some(_) if !is_wide => Err(format!("a step follows `*` or a range, not `{range}`")),
            Some(step) => match digits(step) {
                Some(step) if step > 0 && step <= self.to => Ok(()),
                _ => Err(format!("`{step}` is not a step")),
            },
        }
    }

    fn number(&self, text: &str) -> Result<u8, String> {
        match digits(text) {
            Some(number) if (self.from..=self.to).contains(&number) => Ok(number),
            Some(_) => Err(format!("{text} is out of range")),
            None => Err(format!("`{text}` is not a number")),
        }
    }
}

/// Parses a number of at most two digits, without a sign.
fn digits(text: &str) -> Option<u8> {
    let is_digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits { text.parse().ok() } else { None }
}

macro_rules! fields {
    ($($name:ident $what:literal $from:literal $to:literal $names:expr;)*) => {$(
        #[doc = concat!("A ", $what, " of cron.")]
        #[derive(Clone, Debug, PartialEq, Eq, HclText)]
        pub(super) struct $name(String);

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let range = Range { what: $what, from: $from, to: $to, names: $names };
                range.check(text).map(|()| Self(text.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

fields! {
    Minute "minute" 0 59 &[];
    Hour "hour" 0 23 &[];
    Day "day" 1 31 &[];
    Month "month" 1 12 MONTHS;
    Weekday "weekday" 0 7 DAYS;
}
