//! The timeout of a client.

use std::time::Duration;

use axum::http::HeaderMap;
use tonic::Status;

use crate::listeners::Refusal;

/// Parses the timeout header of the client: a number of at most eight digits and a unit.
pub(super) fn from_headers(headers: &HeaderMap) -> Result<Option<Duration>, Status> {
    let Some(value) = headers.get("grpc-timeout") else { return Ok(None) };
    let time = value.to_str().ok().and_then(parse);
    time.map(Some)
        .ok_or_else(|| Refusal::invalid(format!("grpc-timeout is {value:?}, which is not a time")).into())
}

fn parse(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if number.len() > 8 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let unit = match unit {
        "H" => Duration::from_hours(1),
        "M" => Duration::from_mins(1),
        "S" => Duration::from_secs(1),
        "m" => Duration::from_millis(1),
        "u" => Duration::from_micros(1),
        "n" => Duration::from_nanos(1),
        _ => return None,
    };
    Some(unit.saturating_mul(number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_of_clients() {
        let check = |text: &str, nanos: Option<u128>| {
            assert_eq!(parse(text).map(|time| time.as_nanos()), nanos, "{text:?}");
        };
        check("1n", Some(1));
        check("20u", Some(20_000));
        check("300m", Some(300_000_000));
        check("0S", Some(0));
        check("2M", Some(120_000_000_000));
        check("99999999H", Some(99_999_999 * 3_600_000_000_000));
        for invalid in ["", "S", "1", "1s", "+1S", "-1S", "1.5S", "1 S", "123456789S", "1µ", "µ"] {
            check(invalid, None);
        }
    }
}
