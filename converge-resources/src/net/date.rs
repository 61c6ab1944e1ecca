//! Times as servers write them: `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

/// What is added to the time that a server gives, so that a file shows that its time comes from there.
///
/// A file that was changed by hand is newer than anything that the server has, and one that an image or an archive brought has
/// any time: nobody can be asked for what is newer than these. No other file has just this part of a second. An `ETag` would
/// have to be kept somewhere; this is kept by the file itself.
const MARK: Duration = Duration::from_millis(304);

/// The time of a file whose server says `text`; `None` for what is no time.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let parsed = DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    SystemTime::from(parsed).checked_add(MARK)
}

/// What the server said of a file with this time; `None` when the time comes from elsewhere.
pub(crate) fn write(time: SystemTime) -> Option<String> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.checked_sub(MARK)?;
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
        for wrong in ["", "yesterday", "1994-11-06", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            check(wrong, None);
        }
        assert_eq!(write(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
