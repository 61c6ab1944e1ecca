//! Times as servers write them: `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

/// `None` for what is no such time.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let parsed = DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    Some(SystemTime::from(parsed))
}

/// `None` for a time that cannot be written so: with a part of a second, or out of range.
///
/// A file gets such a time only from who sets it. One that was changed by hand has, but once in a while, a part of a
/// second, and then nobody can be asked for what is newer than it.
pub(crate) fn write(time: SystemTime) -> Option<String> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    if since != Duration::from_secs(since.as_secs()) {
        return None;
    }
    let timestamp = Timestamp::from_second(i64::try_from(since.as_secs()).ok()?).ok()?;
    DateTimePrinter::new().timestamp_to_rfc9110_string(&timestamp).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let check = |text: &str, expect: Option<u64>| {
            let expect = expect.map(|second| SystemTime::UNIX_EPOCH + Duration::from_secs(second));
            assert_eq!(parse(text), expect, "{text}");
            if let Some(time) = expect {
                assert_eq!(write(time).as_deref(), Some(text));
                assert_eq!(write(time + Duration::from_millis(1)), None);
            }
        };
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Wed, 01 Jan 2020 00:00:00 GMT", Some(1_577_836_800));
        for wrong in ["", "yesterday", "1994-11-06", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            check(wrong, None);
        }
        assert_eq!(write(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
