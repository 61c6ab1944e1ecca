//! Versions in the order of Semantic Versioning, with any number of parts.

use std::cmp::Ordering;

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "versioncmp",
        "version, other",
        "-1, 0 or 1, as the version is before, equal to or after the other one; missing parts are 0, and `1.2-rc1` is before \
         `1.2`.",
        [r#"versioncmp("1.10.1", "1.9")"#, "1"],
    )
    .takes(2, 2)
    .runs_deep(versioncmp),
    Function::new(
        "versionmatches",
        "version, constraints",
        "Whether the version meets all constraints: `= != > >= < <=` and a version, separated by commas; `~> 1.2.3` is from \
         there on, but below 1.3.",
        [r#"versionmatches("1.4.2", ">= 1.2, < 2")"#, "true"],
    )
    .takes(2, 2)
    .runs_deep(versionmatches),
];

/// A version: its numbers and its pre-release.
struct Version<'t> {
    /// The numbers without leading zeros.
    numbers: Vec<&'t str>,
    pre: Vec<&'t str>,
}

impl<'t> Version<'t> {
    /// Parses `1.2.3-rc.1+build`, also with a leading `v`.
    fn parse(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (numbers, pre) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~'))
        };
        let is_parts = |text: Option<&str>| text.is_none_or(|text| text.split('.').all(is_part));
        let numbers: Vec<&str> = numbers.split('.').collect();
        let are_numbers = numbers.iter().all(|number| is_number(number));
        (are_numbers && is_parts(pre) && is_parts(build)).then(|| Self {
            numbers: numbers.into_iter().map(plain).collect(),
            pre: pre.map_or_else(Vec::new, |pre| pre.split('.').collect()),
        })
    }

    fn compare(&self, other: &Self) -> Ordering {
        let count = self.numbers.len().max(other.numbers.len());
        let number = |version: &Self, at: usize| version.numbers.get(at).copied().unwrap_or("");
        let numbers = (0..count).map(|index| compare_numbers(number(self, index), number(other, index)));
        numbers.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| self.compare_pre(other))
    }

    /// Compares pre-releases, which come before the release.
    fn compare_pre(&self, other: &Self) -> Ordering {
        match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Greater,
            (false, true) => return Ordering::Less,
            (false, false) => {}
        }
        let parts =
            self.pre.iter().zip(&other.pre).map(|(left, right)| match (is_number(left), is_number(right)) {
                (true, true) => compare_numbers(plain(left), plain(right)),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => left.cmp(right),
            });
        parts.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| self.pre.len().cmp(&other.pre.len()))
    }

    /// Whether this version begins with all numbers of the other one but the last.
    fn is_beside(&self, other: &Self) -> bool {
        let prefix_length = other.numbers.len().saturating_sub(1).max(1);
        (0..prefix_length).all(|index| {
            self.numbers.get(index).copied().unwrap_or("") == other.numbers.get(index).copied().unwrap_or("")
        })
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes leading zeros; 0 becomes empty.
fn plain(number: &str) -> &str {
    number.trim_start_matches('0')
}

/// Compares numbers of any length.
fn compare_numbers(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn no_version(args: &Args<'_>, index: usize, text: &str) -> FunctionError {
    let text: String = text.chars().take(60).collect();
    args.refuse_at(index, format!("{text:?} is not a version, such as `1.2.3` or `2.0-rc.1`"))
}

fn versioncmp(args: &mut Args<'_>) -> FunctionResult {
    let (left, right) = (args.text(0)?, args.text(1)?);
    let left = Version::parse(&left).ok_or_else(|| no_version(args, 0, &left))?;
    let right = Version::parse(&right).ok_or_else(|| no_version(args, 1, &right))?;
    Ok(Value::Int(left.compare(&right) as i64))
}

/// The operators of constraints; longer ones come first, so that they match first.
const OPERATORS: [&str; 9] = ["==", "!=", ">=", "<=", "~>", "=", ">", "<", ""];

fn versionmatches(args: &mut Args<'_>) -> FunctionResult {
    let (version, constraints) = (args.text(0)?, args.text(1)?);
    let version = Version::parse(&version).ok_or_else(|| no_version(args, 0, &version))?;
    let mut is_match = true;
    for constraint in constraints.split(',') {
        let constraint = constraint.trim();
        let (operator, bound) = OPERATORS
            .into_iter()
            .find_map(|operator| Some((operator, constraint.strip_prefix(operator)?)))
            .unwrap_or(("", constraint));
        let bound = Version::parse(bound).ok_or_else(|| no_version(args, 1, bound))?;
        let order = version.compare(&bound);
        // All constraints are parsed, so that an error does not depend on the version.
        is_match &= match operator {
            "!=" => order.is_ne(),
            ">=" => order.is_ge(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            "<" => order.is_lt(),
            "~>" => order.is_ge() && version.is_beside(&bound),
            _ => order.is_eq(),
        };
    }
    Ok(is_match.into())
}
