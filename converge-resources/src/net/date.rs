//! HTTP dates: `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

/// The fraction of a second added to a server's time, which marks a file time as set by a fetch.
///
/// Only a marked time is used to ask a server for newer content. A file that was changed by hand is newer
/// than anything on the server, and a file from an image or an archive has an arbitrary time. No other file
/// has exactly this fraction. An `ETag` would need storage elsewhere; the file itself stores this mark.
const MARK: Duration = Duration::from_millis(304);

/// Returns the marked time for a server's date, or `None` if `text` is not a date.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let parsed = DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    SystemTime::from(parsed).checked_add(MARK)
}

/// Returns the server's date of a file with this time, or `None` if the time has no mark.
pub(crate) fn write(time: SystemTime) -> Option<String> {
    let duration = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.checked_sub(MARK)?;
    if duration != Duration::from_secs(duration.as_secs()) {
        return None;
    }
    let timestamp = Timestamp::from_second(i64::try_from(duration.as_secs()).ok()?).ok()?;
    DateTimePrinter::new().timestamp_to_rfc9110_string(&timestamp).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let check = |text: &str, expect: Option<u64>| {
            let expect = expect.map(|second| SystemTime::UNIX_EPOCH + Duration::from_secs(second) + MARK);
            assert_eq!(parse(text), expect, "{text}");
            if let Some(time) = expect {
                assert_eq!(write(time).as_deref(), Some(text));
                assert_eq!(write(time + Duration::from_nanos(1)), None);
                assert_eq!(write(time - MARK), None);
            }
        };
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Wed, 01 Jan 2020 00:00:00 GMT", Some(1_577_836_800));
        for invalid in ["", "yesterday", "1994-11-06", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            check(invalid, None);
        }
        assert_eq!(write(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
