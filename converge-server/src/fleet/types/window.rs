//! Windows in which machines may be changed.

use std::fmt;

use converge_controller::StoredMessage;
use converge_controller::protobuf::Timestamp;
use converge_controller::validation::Invalid;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan as _};

/// The default time zone.
const ZONE: &str = "UTC";
/// The number of days searched before and after a moment.
///
/// Every window that opens at all opens within a week.
const DAYS: i64 = 8;
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// A time of day at which machines may be changed.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "converge", version = "v1")]
pub(crate) struct Window {
    /// The days on which the window begins: `mon-fri`, `sat,sun`; every day by default.
    #[stored(tag = 1)]
    pub days: String,
    /// The begin, such as `22:00`.
    #[stored(tag = 2)]
    pub from: String,
    /// The end, such as `06:00`, at most `24:00`.
    ///
    /// If it is not after the begin, it is on the next day.
    #[stored(tag = 3)]
    pub to: String,
    /// The time zone, such as `Europe/Berlin`; `UTC` by default.
    #[stored(tag = 4)]
    pub zone: String,
}

/// Whether machines may be changed at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// There are no windows, so changes are always allowed.
    Always,
    /// A window is open.
    Open {
        /// The time since which it is open.
        since: Timestamp,
    },
    /// No window is open.
    Closed {
        /// The time at which the next window opens, or `None` if there is none.
        until: Option<Timestamp>,
    },
}

impl Opening {
    /// Returns whether machines may be changed now in these windows.
    ///
    /// Without windows, changes are always allowed.
    pub(crate) fn from_windows(windows: &[Window], now: Timestamp) -> Self {
        if windows.is_empty() {
            return Self::Always;
        }
        // Windows were validated when written. A window that this version cannot parse never opens.
        let valid = windows.iter().filter_map(|window| window.parse().ok());
        let mut spans: Vec<_> = valid.flat_map(|window| window.around(now)).collect();
        spans.sort_unstable();
        let mut joined: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (from, to) in spans {
            match joined.last_mut() {
                Some((_, end)) if from <= *end => *end = to.max(*end),
                _ => joined.push((from, to)),
            }
        }
        match joined.into_iter().find(|(_, to)| *to > now) {
            Some((since, _)) if since <= now => Self::Open { since },
            next => Self::Closed { until: next.map(|(from, _)| from) },
        }
    }
}

/// A parsed [`Window`].
#[derive(Debug)]
struct Parsed {
    days: Vec<Weekday>,
    from: Time,
    /// The end, or `None` for the end of the day.
    to: Option<Time>,
    zone: TimeZone,
}

impl Parsed {
    /// Returns the open periods of the window around a moment.
    fn around(self, now: Timestamp) -> impl Iterator<Item = (Timestamp, Timestamp)> {
        let today = now.to_zoned(self.zone.clone()).date();
        (-DAYS..=DAYS).filter_map(move |days| {
            let date = today.checked_add(days.days()).ok()?;
            let is_meant = self.days.contains(&date.weekday());
            is_meant.then(|| Some((self.at(date, self.from)?, self.end(date)?))).flatten()
        })
    }

    fn end(&self, date: Date) -> Option<Timestamp> {
        match self.to {
            Some(to) if to > self.from => self.at(date, to),
            to => self.at(date.tomorrow().ok()?, to.unwrap_or(Time::midnight())),
        }
    }

    /// Converts a local time.
    ///
    /// A time that a clock change skips is moved forward by the gap; of a repeated time, the first counts.
    fn at(&self, date: Date, time: Time) -> Option<Timestamp> {
        Some(date.to_datetime(time).to_zoned(self.zone.clone()).ok()?.timestamp())
    }
}

/// A validation error of one field.
#[derive(Debug)]
struct FieldError {
    field: &'static str,
    why: String,
}

impl FieldError {
    fn new(field: &'static str, reason: impl fmt::Display) -> Self {
        Self { field, why: reason.to_string() }
    }
}

impl Window {
    /// Fills in the defaults.
    pub(super) fn fill_in(&mut self) {
        if self.zone.is_empty() {
            ZONE.clone_into(&mut self.zone);
        }
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        if let Err(wrongs) = self.parse() {
            for FieldError { field, why } in wrongs {
                invalid.field(field).add(why);
            }
        }
        invalid.finish()
    }

    /// Parses the window, or returns all its errors.
    fn parse(&self) -> Result<Parsed, Vec<FieldError>> {
        let mut wrongs = Vec::new();
        let days = days(&self.days).map_err(|reason| wrongs.push(FieldError::new("days", reason)));
        let from = time(&self.from).map_err(|reason| wrongs.push(FieldError::new("from", reason)));
        let to = if self.to == "24:00" { Ok(None) } else { time(&self.to).map(Some) };
        let to = to.map_err(|reason| wrongs.push(FieldError::new("to", reason)));
        let zone = if self.zone.is_empty() { ZONE } else { &self.zone };
        let unknown = "is not the name of a time zone, such as UTC or Europe/Berlin";
        let zone = TimeZone::get(zone).map_err(|_| wrongs.push(FieldError::new("zone", unknown)));
        if let (Ok(from), Ok(Some(to))) = (&from, &to)
            && from == to
        {
            wrongs.push(FieldError::new("to", "is when it begins: a whole day is from 00:00 to 24:00"));
        }
        match (days, from, to, zone) {
            (Ok(days), Ok(from), Ok(to), Ok(zone)) if wrongs.is_empty() => {
                Ok(Parsed { days, from, to, zone })
            }
            _ => Err(wrongs),
        }
    }
}

/// Parses days such as `mon-fri, sun`; an empty text means all days.
fn days(text: &str) -> Result<Vec<Weekday>, &'static str> {
    const WRONG: &str = "is not made of mon, tue, wed, thu, fri, sat and sun, such as mon-fri or sat,sun";
    if text.trim().is_empty() {
        return Ok(WEEKDAYS.map(|(_, day)| day).to_vec());
    }
    let day = |name: &str| {
        let entry = WEEKDAYS.iter().find(|(known, _)| *known == name.trim());
        entry.map(|(_, day)| *day).ok_or(WRONG)
    };
    let mut days = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (day(first)?, day(last)?);
        // A range such as Friday to Monday continues into the next week.
        days.extend(first.cycle_forward().take(7).take_while(|day| *day != last).chain([last]));
    }
    Ok(days)
}

/// Parses a time of day with two digits each.
fn time(text: &str) -> Result<Time, &'static str> {
    const WRONG: &str =
        "is not a time of the day from 00:00 to 23:59, written with four digits, such as 22:00";
    let number = |digits: &str| {
        let is_number = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse::<i8>().ok().filter(|_| is_number).ok_or(WRONG)
    };
    let (hour, minute) = text.split_once(':').ok_or(WRONG)?;
    Time::new(number(hour)?, number(minute)?, 0, 0).map_err(|_| WRONG)
}

/// Returns the duration from one moment to a later one.
pub(crate) fn until(now: Timestamp, later: Timestamp) -> std::time::Duration {
    let left = later.duration_since(now).max(SignedDuration::ZERO);
    left.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(days: &str, from: &str, to: &str, zone: &str) -> Window {
        Window { days: days.into(), from: from.into(), to: to.into(), zone: zone.into() }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// 2026-11-23 is a Monday.
    #[test]
    fn when_machines_may_be_changed() {
        let check = |windows: &[Window], now: &str, expect: Opening| {
            assert_eq!(Opening::from_windows(windows, at(now)), expect, "{windows:?} at {now}");
        };
        let open = |since: &str| Opening::Open { since: at(since) };
        let closed_until = |until: &str| Opening::Closed { until: Some(at(until)) };
        check(&[], "2026-11-23T12:00:00Z", Opening::Always);

        let nights = [window("", "22:00", "06:00", "")];
        check(&nights, "2026-11-23T21:59:59Z", closed_until("2026-11-23T22:00:00Z"));
        check(&nights, "2026-11-23T22:00:00Z", open("2026-11-23T22:00:00Z"));
        check(&nights, "2026-11-24T05:59:59Z", open("2026-11-23T22:00:00Z"));
        check(&nights, "2026-11-24T06:00:00Z", closed_until("2026-11-24T22:00:00Z"));

        let weekend = [window("sat,sun", "00:00", "24:00", "UTC")];
        check(&weekend, "2026-11-23T12:00:00Z", closed_until("2026-11-28T00:00:00Z"));
        check(&weekend, "2026-11-29T23:59:59Z", open("2026-11-28T00:00:00Z"));
        check(&weekend, "2026-11-30T00:00:00Z", closed_until("2026-12-05T00:00:00Z"));

        // The day is the one on which the window begins.
        let friday = [window("fri", "22:00", "02:00", "UTC")];
        check(&friday, "2026-11-28T01:00:00Z", open("2026-11-27T22:00:00Z"));
        check(&friday, "2026-11-27T01:00:00Z", closed_until("2026-11-27T22:00:00Z"));
        let over_the_end = [window("sun-mon", "12:00", "13:00", "UTC")];
        check(&over_the_end, "2026-11-24T00:00:00Z", closed_until("2026-11-29T12:00:00Z"));

        // Adjacent windows count as one.
        let two = [window("mon", "12:00", "13:00", "UTC"), window("mon", "10:00", "12:00", "UTC")];
        check(&two, "2026-11-23T12:30:00Z", open("2026-11-23T10:00:00Z"));

        let berlin = [window("", "02:30", "04:00", "Europe/Berlin")];
        check(&berlin, "2026-11-23T01:30:00Z", open("2026-11-23T01:30:00Z"));
        // In Berlin, clocks go from 2 to 3 on 29 March, and from 3 to 2 on 25 October.
        check(&berlin, "2026-03-29T01:20:00Z", closed_until("2026-03-29T01:30:00Z"));
        check(&berlin, "2026-10-25T00:30:00Z", open("2026-10-25T00:30:00Z"));
        check(&berlin, "2026-10-25T02:59:59Z", open("2026-10-25T00:30:00Z"));
        check(&berlin, "2026-10-25T03:00:00Z", closed_until("2026-10-26T01:30:00Z"));

        // The last representable moments.
        let windows = [window("", "00:00", "24:00", "UTC")];
        assert!(matches!(
            Opening::from_windows(&windows, Timestamp::MIN),
            Opening::Open { .. } | Opening::Closed { .. }
        ));
        assert!(matches!(
            Opening::from_windows(&nights, Timestamp::MAX),
            Opening::Open { .. } | Opening::Closed { .. }
        ));
        check(&[window("", "8", "9", "UTC")], "2026-11-23T12:00:00Z", Opening::Closed { until: None });
    }

    #[test]
    fn what_is_wrong_is_said_of_its_field() {
        #[track_caller]
        fn check(window: &Window, expect: &str) {
            let actual = window.check().map_err(|invalid| invalid.to_string());
            assert_eq!(actual.err().unwrap_or_default(), expect);
        }
        check(&window("mon-fri, sun", "00:00", "24:00", "Europe/Berlin"), "");
        check(&window("fri-mon", "23:59", "00:00", "UTC"), "");
        for (from, to) in
            [("8:00", "09:00"), ("24:00", "09:00"), ("+8:00", "09:00"), ("08:60", "09:00"), ("", "09:00")]
        {
            let expect =
                "from is not a time of the day from 00:00 to 23:59, written with four digits, such as 22:00";
            check(&window("", from, to, ""), expect);
        }
        check(
            &window("monday", "08:00", "08:00", "Berlin"),
            "days is not made of mon, tue, wed, thu, fri, sat and sun, such as mon-fri or sat,sun; \
             zone is not the name of a time zone, such as UTC or Europe/Berlin; \
             to is when it begins: a whole day is from 00:00 to 24:00",
        );
        check(
            &window("mon-", "08:00", "09:00", ""),
            "days is not made of mon, tue, wed, thu, fri, sat and sun, such as mon-fri or sat,sun",
        );
    }
}
