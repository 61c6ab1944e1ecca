//! The natural order of names.

use std::cmp::Ordering;

/// Compares names in natural order: digits compare as numbers, so that `web-2` comes before `web-10`.
///
/// Names that only differ in leading zeros are in the order of their characters.
pub(super) fn compare(first: &str, second: &str) -> Ordering {
    let (mut left, mut right) = (first, second);
    while !left.is_empty() && !right.is_empty() {
        let ((a, after_a), (b, after_b)) = (part(left), part(right));
        let order = match (a.as_bytes().first(), b.as_bytes().first()) {
            (Some(a_first), Some(b_first)) if a_first.is_ascii_digit() && b_first.is_ascii_digit() => {
                // Without leading zeros, the longer of two numbers is greater, whatever its length.
                let [a, b] = [a, b].map(|digits| digits.trim_start_matches('0'));
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            _ => a.cmp(b),
        };
        if order != Ordering::Equal {
            return order;
        }
        (left, right) = (after_a, after_b);
    }
    left.len().cmp(&right.len()).then_with(|| first.cmp(second))
}

/// Splits off the first number, or the text before it.
fn part(text: &str) -> (&str, &str) {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_number = text.starts_with(is_digit);
    text.split_at(text.find(|c| is_digit(c) != is_number).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_in_order() {
        let check = |names: &[&str]| {
            let mut sorted = names.to_vec();
            sorted.reverse();
            sorted.sort_by(|one, other| compare(one, other));
            assert_eq!(sorted, names);
        };
        check(&["node1", "node2", "node10", "node10a", "node11", "nodes"]);
        check(&["", "1", "2", "10", "a", "a1", "a1b", "a2", "b"]);
        check(&["eu/web-2", "eu/web-10", "us/web-1"]);
        check(&["a-9-b", "a-10-a", "a-10-b"]);
        check(&["a0", "a001", "a01", "a1", "a2"]);
        check(&["n18446744073709551616", "n18446744073709551617", "n99999999999999999999999"]);
        check(&["a", "é1", "é2", "é10"]);
    }

    proptest! {
        /// An inconsistent order may make a sort panic.
        #[test]
        fn it_is_a_total_order(names in prop::collection::vec("[a0-2é-]{0,6}", 3)) {
            let [a, b, c] = [&names[0], &names[1], &names[2]];
            prop_assert_eq!(compare(a, b), compare(b, a).reverse());
            prop_assert_eq!(compare(a, b) == Ordering::Equal, a == b);
            if compare(a, b).is_le() && compare(b, c).is_le() {
                prop_assert!(compare(a, c).is_le());
            }
        }
    }
}
