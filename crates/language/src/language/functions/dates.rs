//! Times in the format of RFC 3339: `2026-11-24T15:04:05Z`.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "formatdate",
        "format, timestamp",
        "The time in the form of `YYYY YY MMMM MMM MM M DD D EEEE EEE hh h HH H AA aa mm m ss s ZZZZZ ZZZZ ZZZ Z` (`HH` and `H` count to \
         12); text stands in single quotes.",
        [r#"formatdate("DD MMM YYYY hh:mm", "2026-11-24T15:04:05Z")"#, r#""24 Nov 2026 15:04""#],
    )
    .takes(2, 2)
    .runs_deep(formatdate)
    .piped_last(),
    Function::new(
        "timeadd",
        "timestamp, duration",
        "The time later by a duration such as `1h30m`, or earlier by `-90s`.",
        [r#"timeadd("2026-11-24T15:04:05Z", "36h")"#, r#""2026-11-26T03:04:05Z""#],
    )
    .takes(2, 2)
    .runs_deep(timeadd),
    Function::new(
        "timecmp",
        "timestamp, other",
        "-1, 0 or 1, as the time is before, the same as or after the other one.",
        [r#"timecmp("2026-11-24T15:04:05Z", "2026-11-24T15:04:05+01:00")"#, "1"],
    )
    .takes(2, 2)
    .runs_deep(timecmp),
];

/// A local time with its offset from UTC.
struct Time {
    local: DateTime,
    offset: Offset,
}

impl Time {
    /// Parses a time of RFC 3339, in whole seconds.
    fn parse(text: &str) -> Option<Self> {
        let (date, rest) = (text.get(..10)?, text.get(10..)?);
        let rest = rest.strip_prefix(['T', 't'])?;
        let (time, zone) = (rest.get(..8)?, rest.get(8..)?);
        let field = |text: &str, at: std::ops::Range<usize>| -> Option<i8> {
            text.get(at).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
        };
        let marks = |text: &str, mark: u8, places: [usize; 2]| {
            places.map(|index| text.as_bytes().get(index)) == [Some(&mark); 2]
        };
        let year =
            date.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
        if !marks(date, b'-', [4, 7]) || !marks(time, b':', [2, 5]) {
            return None;
        }
        let (month, day) = (field(date, 5..7)?, field(date, 8..10)?);
        let (hour, minute, second) = (field(time, 0..2)?, field(time, 3..5)?, field(time, 6..8)?);
        let local = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
        let offset = match (zone, zone.as_bytes().first()) {
            ("Z" | "z", _) => Offset::UTC,
            (_, Some(sign @ (b'+' | b'-'))) if zone.len() == 6 && zone.get(3..4) == Some(":") => {
                let (hours, minutes) = (i32::from(field(zone, 1..3)?), i32::from(field(zone, 4..6)?));
                if hours > 23 || minutes > 59 {
                    return None;
                }
                let seconds = (hours * 60 + minutes) * 60;
                Offset::from_seconds(if *sign == b'-' { -seconds } else { seconds }).ok()?
            }
            _ => return None,
        };
        Some(Self { local, offset })
    }

    fn instant(&self) -> Option<Timestamp> {
        self.offset.to_timestamp(self.local).ok()
    }

    /// Formats the offset from UTC: `Z` or `+01:00`, with or without the colon.
    fn zone(&self, colon: &str) -> String {
        let seconds = self.offset.seconds();
        let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
        format!("{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60)
    }

    fn text(&self) -> String {
        let zone = if self.offset == Offset::UTC { "Z".to_owned() } else { self.zone(":") };
        let local = self.local;
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{zone}",
            local.year(),
            local.month(),
            local.day(),
            local.hour(),
            local.minute(),
            local.second()
        )
    }
}

fn time(args: &Args<'_>, index: usize) -> Result<Time, FunctionError> {
    let text = args.text(index)?;
    Time::parse(&text).ok_or_else(|| {
        let text: String = text.chars().take(60).collect();
        args.refuse_at(index, format!("{text:?} is not a time, such as `2026-11-24T15:04:05Z`"))
    })
}

fn instant(args: &Args<'_>, index: usize) -> Result<Timestamp, FunctionError> {
    time(args, index)?.instant().ok_or_else(|| out_of_range(args, index))
}

fn out_of_range(args: &Args<'_>, index: usize) -> FunctionError {
    args.refuse_at(index, "the time is out of the years 0000 to 9999")
}

/// Parses a duration of numbers with units: `1h30m`, `-90s`, `1.5h`.
fn duration(text: &str) -> Option<SignedDuration> {
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let mut rest = digits;
    let mut total = SignedDuration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() && rest != "0" {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = rest.get(..end).filter(|number| number.contains(|c: char| c.is_ascii_digit()))?;
        let after = rest.get(end..)?;
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let nanoseconds = match unit {
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        total = total.checked_add(units(number, nanoseconds)?)?;
        rest = after;
    }
    if is_negative { total.checked_neg() } else { Some(total) }
}

/// Multiplies a decimal number by a unit, exactly.
fn units(number: &str, nanoseconds: i128) -> Option<SignedDuration> {
    let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || fraction.len() > 15 {
        return None;
    }
    let integer: i128 = if integer.is_empty() { 0 } else { integer.parse().ok()? };
    let part: i128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let total = integer.checked_mul(nanoseconds)?.checked_add(part * nanoseconds / scale)?;
    let seconds = i64::try_from(total / 1_000_000_000).ok()?;
    Some(SignedDuration::new(seconds, i32::try_from(total % 1_000_000_000).ok()?))
}

fn timeadd(args: &mut Args<'_>) -> FunctionResult {
    let (start, text) = (time(args, 0)?, args.text(1)?);
    let duration = duration(&text).ok_or_else(|| {
        let text: String = text.chars().take(60).collect();
        args.refuse_at(1, format!("{text:?} is not a duration, such as `1h30m`"))
    })?;
    let local = start.instant().and_then(|instant| instant.checked_add(duration).ok());
    let local = local.map(|instant| start.offset.to_datetime(instant)).filter(|local| local.year() >= 0);
    let local = local.ok_or_else(|| out_of_range(args, 1))?;
    Ok(Time { local, ..start }.text().into())
}

fn timecmp(args: &mut Args<'_>) -> FunctionResult {
    Ok(Value::Int(instant(args, 0)?.cmp(&instant(args, 1)?) as i64))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

fn formatdate(args: &mut Args<'_>) -> FunctionResult {
    let (format, time) = (args.text(0)?, time(args, 1)?);
    // Each letter becomes at most nine bytes.
    args.budget.spend_bytes(format.len().saturating_mul(9))?;
    let mut out = String::new();
    let mut rest: &str = &format;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            rest = literal(args, rest, &mut out)?;
            continue;
        }
        let end = rest.find(|c| c != first).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if first.is_ascii_alphabetic() {
            let part = part(&time, word).ok_or_else(|| {
                args.refuse_at(0, format!("{word:?} is not a part of a time; text stands in single quotes"))
            })?;
            out.push_str(&part);
        } else {
            out.push_str(word);
        }
        rest = after;
    }
    Ok(out.into())
}

/// Appends text between single quotes, where two quotes stand for one. Returns the text after it.
fn literal<'t>(args: &Args<'_>, text: &'t str, out: &mut String) -> Result<&'t str, FunctionError> {
    let mut rest = text.get(1..).unwrap_or_default();
    loop {
        let Some(end) = rest.find('\'') else {
            return Err(args.refuse_at(0, "a single quote is not closed"));
        };
        out.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                out.push('\'');
                rest = after;
            }
            None => return Ok(rest),
        }
    }
}

/// Formats the part of a time that a word of a format stands for.
fn part(time: &Time, word: &str) -> Option<String> {
    let local = time.local;
    let month = MONTHS.get(usize::try_from(local.month()).ok()?.checked_sub(1)?)?;
    let day = DAYS.get(usize::try_from(local.weekday().to_monday_zero_offset()).ok()?)?;
    let twelve = if local.hour() % 12 == 0 { 12 } else { local.hour() % 12 };
    let period = if local.hour() < 12 { "AM" } else { "PM" };
    let is_utc = time.offset == Offset::UTC;
    Some(match word {
        "YYYY" => format!("{:04}", local.year()),
        "YY" => format!("{:02}", local.year() % 100),
        "MMMM" => (*month).to_owned(),
        "MMM" => month[..3].to_owned(),
        "MM" => format!("{:02}", local.month()),
        "M" => local.month().to_string(),
        "DD" => format!("{:02}", local.day()),
        "D" => local.day().to_string(),
        "EEEE" => (*day).to_owned(),
        "EEE" => day[..3].to_owned(),
        "hh" => format!("{:02}", local.hour()),
        "h" => local.hour().to_string(),
        "HH" => format!("{twelve:02}"),
        "H" => twelve.to_string(),
        "AA" => period.to_owned(),
        "aa" => period.to_lowercase(),
        "mm" => format!("{:02}", local.minute()),
        "m" => local.minute().to_string(),
        "ss" => format!("{:02}", local.second()),
        "s" => local.second().to_string(),
        "ZZZ" if is_utc => "UTC".to_owned(),
        "ZZZZ" | "ZZZ" => time.zone(""),
        "Z" if is_utc => "Z".to_owned(),
        "ZZZZZ" | "Z" => time.zone(":"),
        _ => return None,
    })
}
