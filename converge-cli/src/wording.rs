//! Formats of numbers, durations and lists for people.

use std::time::Duration;

/// Formats a count: `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Lists the first names and the number of the others.
pub(crate) fn name_some(names: impl ExactSizeIterator<Item = String>) -> String {
    const NAMED: usize = 5;
    let remaining = names.len().saturating_sub(NAMED);
    let rest = if remaining > 0 { format!(" and {remaining} more") } else { String::new() };
    format!("{}{rest}", names.take(NAMED).collect::<Vec<_>>().join(", "))
}

/// Formats a duration with useful precision: `0.03s`, `12.3s`, `2m05s`, `1h02m`.
pub(crate) fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.2}s", duration.as_secs_f64()),
        10..60 => format!("{:.1}s", duration.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_precise_as_is_of_use() {
        let check = |millis: u64, expect: &str| assert_eq!(elapsed(Duration::from_millis(millis)), expect);
        check(0, "0.00s");
        check(34, "0.03s");
        check(9_990, "9.99s");
        check(12_345, "12.3s");
        check(125_000, "2m05s");
        check(3_599_999, "59m59s");
        check(3_720_000, "1h02m");
    }
}
