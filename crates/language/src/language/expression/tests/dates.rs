//! Tests of functions of dates and times.

use super::check;

#[test]
fn formats() {
    let time = "2026-01-02T03:04:05Z";
    let cases = [
        ("YYYY-MM-DD", "2026-01-02"),
        ("YY/M/D", "26/1/2"),
        ("EEEE, DD MMMM YYYY", "Friday, 02 January 2026"),
        ("EEE MMM", "Fri Jan"),
        ("hh:mm:ss", "03:04:05"),
        ("h m s H AA aa", "3 4 5 3 AM am"),
        ("ZZZZZ ZZZZ ZZZ Z", "+00:00 +0000 UTC Z"),
        ("hh'h 'mm'''m'''", "03h 04'm'"),
        ("é%", "é%"),
        ("", ""),
    ];
    for (format, expect) in cases {
        check(&[(&format!("formatdate({format:?}, {time:?})"), &format!("{expect:?}"))]);
    }
    check(&[
        (r#"formatdate("HH:mm aa ZZZ Z", "2026-06-05T00:30:00+05:30")"#, r#""12:30 am +0530 +05:30""#),
        (r#"formatdate("H AA", "2026-06-05T12:30:00-01:00")"#, r#""12 PM""#),
        (
            r#"formatdate("YYY", "2026-06-05T12:30:00Z")"#,
            r#"error at "YYY": formatdate: "YYY" is not a part of a time; text stands in single quotes"#,
        ),
        (
            r#"formatdate("'a", "2026-06-05T12:30:00Z")"#,
            r#"error at "'a": formatdate: a single quote is not closed"#,
        ),
        (
            r#"formatdate("D", "2026-02-29T00:00:00Z")"#,
            r#"error at "2026-02-29T00:00:00Z": formatdate: "2026-02-29T00:00:00Z" is not a time, such as `2026-11-24T15:04:05Z`"#,
        ),
        (
            r#"formatdate("D", "2026-02-28 00:00:00")"#,
            r#"error at "2026-02-28 00:00:00": formatdate: "2026-02-28 00:00:00" is not a time, such as `2026-11-24T15:04:05Z`"#,
        ),
        (
            r#"formatdate("D", "2026-02-28T00:00:00+é0:00")"#,
            r#"error at "2026-02-28T00:00:00+é0:00": formatdate: "2026-02-28T00:00:00+é0:00" is not a time, such as `2026-11-24T15:04:05Z`"#,
        ),
    ]);
}

#[test]
fn sums_and_comparisons() {
    check(&[
        (r#"timeadd("2026-01-01T00:00:00Z", "10m")"#, r#""2026-01-01T00:10:00Z""#),
        (r#"timeadd("2026-01-01T00:00:00+02:00", "-1.5h")"#, r#""2025-12-31T22:30:00+02:00""#),
        (r#"timeadd("2026-01-01T00:00:00Z", "1h30m5s")"#, r#""2026-01-01T01:30:05Z""#),
        (r#"timeadd("2026-01-01T00:00:00Z", "0")"#, r#""2026-01-01T00:00:00Z""#),
        (
            r#"timeadd("2026-01-01T00:00:00Z", "1d")"#,
            r#"error at "1d": timeadd: "1d" is not a duration, such as `1h30m`"#,
        ),
        (
            r#"timeadd("2026-01-01T00:00:00Z", "5")"#,
            r#"error at "5": timeadd: "5" is not a duration, such as `1h30m`"#,
        ),
        (
            r#"timeadd("2026-01-01T00:00:00Z", "99999999999999999999h")"#,
            r#"error at "99999999999999999999h": timeadd: "99999999999999999999h" is not a duration, such as `1h30m`"#,
        ),
        (
            r#"timeadd("9999-12-30T00:00:00Z", "99h")"#,
            r#"error at "99h": timeadd: the time is out of the years 0000 to 9999"#,
        ),
        (r#"timecmp("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00")"#, "0"),
        (r#"timecmp("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")"#, "-1"),
    ]);
}
