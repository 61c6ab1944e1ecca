//! The expiry of a certificate.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The tag of a certificate's version field, which version 1 certificates do not have.
const VERSION: u8 = 0xa0;
/// The tag of a time whose year has two digits.
const UTC_TIME: u8 = 0x17;
/// The tag of a time whose year has four digits.
const GENERALIZED_TIME: u8 = 0x18;

/// Returns the expiry of a certificate in DER, or `None` if it cannot be read.
pub(super) fn certificate_expiry(certificate: &[u8]) -> Option<Timestamp> {
    let (_, content, _) = element(certificate)?;
    let (_, signed, _) = element(content)?;
    let (first, _, after_first) = element(signed)?;
    let after_number = if first == VERSION { element(after_first)?.2 } else { after_first };
    let (_, _, after_algorithm) = element(after_number)?;
    let (_, _, after_issuer) = element(after_algorithm)?;
    let (_, validity, _) = element(after_issuer)?;
    let (_, _, after_begin) = element(validity)?;
    let (kind, end, _) = element(after_begin)?;
    time(kind, end)
}

/// Splits off the first DER element and returns its tag, its content and the rest.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = match length.checked_sub(0x80) {
        None => (usize::from(*length), rest),
        // The length is in the next `count` bytes.
        Some(count @ 1..=4) => {
            let (length, rest) = rest.split_at_checked(count.into())?;
            (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        Some(_) => return None,
    };
    let (inside, behind) = rest.split_at_checked(length)?;
    Some((*tag, inside, behind))
}

fn time(kind: u8, text: &[u8]) -> Option<Timestamp> {
    let digits = text.strip_suffix(b"Z").filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    let number = |digits: &[u8]| digits.iter().fold(0, |number, digit| number * 10 + i16::from(digit - b'0'));
    let (year, rest) = match kind {
        UTC_TIME => {
            let (year, rest) = digits.split_at_checked(2)?;
            let year = number(year);
            (year + if year < 50 { 2000 } else { 1900 }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = digits.split_at_checked(4)?;
            (number(year), rest)
        }
        _ => return None,
    };
    let parts: Vec<i8> =
        rest.chunks_exact(2).map(|part| i8::try_from(number(part)).ok()).collect::<Option<_>>()?;
    let [month, day, hour, minute, second] = *parts.as_slice() else { return None };
    let time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    #[test]
    fn ends_of_certificates() {
        let check = |year: i32, month: u8, day: u8, expect: &str| {
            let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
            params.not_after = date_time_ymd(year, month, day);
            let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
            assert_eq!(certificate_expiry(certificate.der()).unwrap().to_string(), expect);
            for end in 0..certificate.der().len() {
                // Truncated certificates must not panic.
                let _ = certificate_expiry(&certificate.der()[..end]);
            }
        };
        check(2027, 12, 31, "2027-12-31T00:00:00Z");
        check(2049, 1, 2, "2049-01-02T00:00:00Z");
        // From 2050 on, the year has four digits.
        check(2050, 1, 2, "2050-01-02T00:00:00Z");
        check(1998, 3, 4, "1998-03-04T00:00:00Z");
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        for invalid in
            [&b""[..], b"0", b"\x30\x84\xff\xff\xff\xff", b"\x30\x85\x00\x00\x00\x00\x01x", b"\x30\x00"]
        {
            assert_eq!(certificate_expiry(invalid), None, "{invalid:?}");
        }
        for invalid in [&b"271231000000"[..], b"2712310000Z", b"271331000000Z", b"2712310000x0Z", b"Z"] {
            assert_eq!(time(UTC_TIME, invalid), None, "{invalid:?}");
        }
    }
}
