use std::fmt;

use converge_sdk::prelude::*;
use converge_sdk::schema::Kind;
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, ValuePath};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::user::shadow;

const SECONDS_A_DAY: i64 = 86_400;

/// A day as the number of days since 1970-01-01, as in `/etc/shadow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day(i64);

impl Day {
    /// The day that the programs and `/etc/shadow` treat as no expiry.
    pub(super) const NEVER: Self = Self(-1);

    pub(super) fn from_timestamp(time: Timestamp) -> Self {
        Self(time.as_second().div_euclid(SECONDS_A_DAY))
    }

    /// Formats the day as an argument of `useradd` and `usermod`; an empty one removes the expiry.
    ///
    /// A date would be read in the time zone of the machine.
    pub(super) fn argument(self) -> String {
        if self == Self::NEVER { String::new() } else { self.0.to_string() }
    }
}

/// The declared expiry of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    Never,
    At(Timestamp),
}

impl Expiry {
    pub(super) fn day(self) -> Day {
        self.time().map_or(Day::NEVER, Day::from_timestamp)
    }

    pub(super) fn time(self) -> Option<Timestamp> {
        match self {
            Self::Never => None,
            Self::At(time) => Some(time),
        }
    }
}

impl FromValue for Expiry {
    fn kind() -> Kind {
        Kind::Time
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let is_never = match &value {
            Value::String(text) => matches!(&**text, "" | "never" | "-1"),
            value => *value == Value::Int(-1),
        };
        if is_never {
            return Ok(Self::Never);
        }
        let time = Timestamp::from_value(value, conversion)?;
        if Day::from_timestamp(time).0 < 0 {
            let message =
                "a day before 1970-01-01 means that the account never expires: write \"never\"".to_owned();
            let kind = FieldErrorKind::Invalid { message };
            return Err(vec![FieldError { path: ValuePath::default(), kind }]);
        }
        Ok(Self::At(time))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NEVER {
            return f.write_str("never");
        }
        let second = self.0.checked_mul(SECONDS_A_DAY);
        match second.and_then(|second| Timestamp::from_second(second).ok()) {
            Some(time) => write!(f, "{}", time.to_zoned(TimeZone::UTC).date()),
            None => write!(f, "day {}", self.0),
        }
    }
}

/// Returns the day on which the account of a user expires.
pub(super) async fn account_expiry(cx: &Context, name: &str) -> Result<Day> {
    let shadow = shadow::read(cx, &format!("when the account of {name:?} expires")).await?;
    Ok(find(&shadow, name).unwrap_or(Day::NEVER))
}

/// Parses the eighth field of a user's line; an empty or negative one means never.
fn find(shadow: &str, name: &str) -> Option<Day> {
    shadow::user_fields(shadow, name)?.nth(7)?.trim().parse().ok().filter(|day| *day >= 0).map(Day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_file() {
        let check = |line: &str, expect: Option<&str>| {
            let shadow = format!("root:*:18262:0:99999:7:::\n{line}\n");
            assert_eq!(find(&shadow, "ada").map(|day| day.to_string()).as_deref(), expect, "{line}");
        };
        check("ada:!:18262:0:99999:7::0:", Some("1970-01-01"));
        check("ada:!:18262:0:99999:7::20484:", Some("2026-01-31"));
        check("ada:!:18262:0:99999:7:::", None);
        check("ada:!:18262:0:99999:7::-1:", None);
        check("ada:!", None);
        check("adam:!:18262:0:99999:7::20484:", None);
        check("ada:!:18262:0:99999:7::99999999999999999:", Some("day 99999999999999999"));
    }

    #[test]
    fn a_day_is_that_of_utc() {
        let check = |time: &str, argument: &str, shown: &str| {
            let day = Day::from_timestamp(time.parse().unwrap());
            assert_eq!((day.argument().as_str(), day.to_string().as_str()), (argument, shown), "{time}");
        };
        check("2026-01-31T00:00:00Z", "20484", "2026-01-31");
        check("2026-01-31T23:59:59Z", "20484", "2026-01-31");
        check("2026-01-31T23:59:59-05:00", "20485", "2026-02-01");
        check("1969-12-31T12:00:00Z", "", "never");
    }
}
