//! The order of versions of Debian packages.

use std::cmp::Ordering;

/// Compares two versions as dpkg does.
///
/// The rules are those of the Debian Policy Manual, section 5.6.12.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (split(one), split(other));
    one.0.cmp(&other.0).then_with(|| part(one.1, other.1)).then_with(|| part(one.2, other.2))
}

/// Splits a version into epoch, upstream version and revision.
fn split(text: &str) -> (u64, &str, &str) {
    let (epoch, rest) = text.split_once(':').unwrap_or(("0", text));
    let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
    (epoch.parse().unwrap_or_default(), upstream, revision)
}

/// Compares texts and numbers in turn.
fn part(mut one: &str, mut other: &str) -> Ordering {
    while !one.is_empty() || !other.is_empty() {
        let (text, rest) = split_at_end(one, |byte| !byte.is_ascii_digit());
        let (other_text, other_rest) = split_at_end(other, |byte| !byte.is_ascii_digit());
        let (number, rest) = split_at_end(rest, |byte| byte.is_ascii_digit());
        let (other_number, other_rest) = split_at_end(other_rest, |byte| byte.is_ascii_digit());
        let (number, other_number) = (number.trim_start_matches('0'), other_number.trim_start_matches('0'));
        let numbers = || number.len().cmp(&other_number.len()).then_with(|| number.cmp(other_number));
        let order = texts(text, other_text).then_with(numbers);
        if order.is_ne() {
            return order;
        }
        (one, other) = (rest, other_rest);
    }
    Ordering::Equal
}

fn split_at_end(text: &str, is_in: impl Fn(u8) -> bool) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !is_in(byte)).unwrap_or(text.len()))
}

/// Compares texts without digits.
///
/// `~` is before the end, the end before letters, and letters are before other signs.
fn texts(one: &str, other: &str) -> Ordering {
    let weight = |byte: Option<u8>| match byte {
        Some(b'~') => -1,
        None => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(byte),
        Some(byte) => i32::from(byte) + 256,
    };
    let length = one.len().max(other.len());
    let weights = |text: &str| -> Vec<i32> {
        (0..length).map(|index| weight(text.as_bytes().get(index).copied())).collect()
    };
    weights(one).cmp(&weights(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_dpkg() {
        let check = |versions: &[&str]| {
            for pair in versions.windows(2) {
                assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
                assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
            }
        };
        check(&[
            "1.0~~", "1.0~~a", "1.0~", "1.0", "1.0-1", "1.0-2", "1.0-10", "1.0a", "1.0+b", "1.0.1", "1.9",
            "1.10", "1:0.1",
        ]);
        for (one, other) in [("1.0", "0:1.0"), ("1.0", "1.00"), ("01.0", "1.0"), ("1.0-0", "1.0")] {
            assert_eq!(compare(one, other), Ordering::Equal, "{one} {other}");
        }
    }
}
