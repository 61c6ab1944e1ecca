//! Encoding of durations and times.

use std::time::Duration;

use converge_derive::StoredMessage;
use jiff::Timestamp;
use prost::DecodeError;

use super::error::invalid;
use super::message::{Wire, value_as};

const NANOS_PER_SECOND: i32 = 1_000_000_000;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "Duration")]
struct WireDuration {
    #[stored(tag = 1)]
    seconds: i64,
    #[stored(tag = 2)]
    nanos: i32,
}

impl Wire for WireDuration {
    type Native = Duration;

    /// Converts a duration; one above 292 billion years is written as that maximum.
    ///
    /// Protobuf has a sign bit where Rust has one more bit of seconds.
    fn from_native(native: &Duration) -> Self {
        let seconds = i64::try_from(native.as_secs()).unwrap_or(i64::MAX);
        Self { seconds, nanos: i32::try_from(native.subsec_nanos()).unwrap_or_default() }
    }

    fn into_native(self) -> Result<Duration, DecodeError> {
        let Self { seconds, nanos } = self;
        match (u64::try_from(seconds), u32::try_from(nanos)) {
            (Ok(seconds), Ok(subsecond)) if nanos < NANOS_PER_SECOND => Ok(Duration::new(seconds, subsecond)),
            _ => Err(invalid(format!(
                "{seconds} seconds and {nanos} nanoseconds are no duration: it is not negative, with fewer than \
                 {NANOS_PER_SECOND} nanoseconds"
            ))),
        }
    }
}

value_as!(Duration, WireDuration, Duration::is_zero);

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "Timestamp")]
struct WireTimestamp {
    #[stored(tag = 1)]
    seconds: i64,
    #[stored(tag = 2)]
    nanos: i32,
}

impl Wire for WireTimestamp {
    type Native = Timestamp;

    /// Converts a time; protobuf counts nanoseconds forward, also before 1970.
    fn from_native(native: &Timestamp) -> Self {
        let (seconds, nanos) = (native.as_second(), native.subsec_nanosecond());
        if nanos < 0 {
            Self { seconds: seconds - 1, nanos: nanos + NANOS_PER_SECOND }
        } else {
            Self { seconds, nanos }
        }
    }

    fn into_native(self) -> Result<Timestamp, DecodeError> {
        let Self { seconds, nanos } = self;
        let time = (0..NANOS_PER_SECOND).contains(&nanos).then(|| Timestamp::new(seconds, nanos));
        match time {
            Some(Ok(time)) => Ok(time),
            _ => Err(invalid(format!(
                "{seconds} seconds and {nanos} nanoseconds are no time: it is between the years -9999 and 9999, with 0 to \
                 {} nanoseconds",
                NANOS_PER_SECOND - 1
            ))),
        }
    }
}

value_as!(Timestamp, WireTimestamp, |time| *time == Timestamp::UNIX_EPOCH);
