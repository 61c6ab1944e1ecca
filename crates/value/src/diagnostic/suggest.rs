//! "Did you mean" suggestions: at most two names, and only close ones.

use std::fmt;

/// The maximum number of candidates that a name is compared with.
///
/// Without it, a text with very many mistakes would take quadratic time.
const MAX_CANDIDATES: usize = 1000;

/// The minimum number of letters that a prefix needs to suggest a name.
const MIN_PREFIX_LENGTH: usize = 3;

/// The maximum length of a compared name in bytes; the time of a comparison grows with its square.
const MAX_LENGTH: usize = 200;

/// Returns the one or two candidates closest to `given`, closest first.
///
/// Only the first thousand candidates are compared. A candidate is close if the edit distance is at most a
/// third of the longer name, where a swap of neighbours counts as one edit. Short names therefore do not
/// suggest everything. The fixed bound of five edits in the original matched nearly any field. If no
/// candidate is close, those that begin with `given` are returned, because a truncated name lacks most of its
/// letters.
///
/// ```
/// use converge_core::diagnostic::close_names;
///
/// assert_eq!(close_names("destinaton", ["destination", "user"]), ["destination"]);
/// assert_eq!(close_names("dest", ["destination", "user"]), ["destination"]);
/// assert!(close_names("x", ["uid", "gid"]).is_empty());
/// ```
pub fn close_names<'a>(input: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    close_among(input, candidates.into_iter().take(MAX_CANDIDATES))
}

/// Like [`close_names`], without a limit on the number of candidates, for callers that count them.
#[doc(hidden)]
pub fn close_among<'a>(input: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    if input.len() > MAX_LENGTH {
        return Vec::new();
    }
    let lower = input.to_lowercase();
    let length = input.chars().count();
    let letters = LetterCounts::new(&lower);
    let mut prefix_matches: Vec<&str> = Vec::new();
    let mut close: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            if candidate.len() > MAX_LENGTH {
                return None;
            }
            let candidate_length = candidate.chars().count();
            if length >= MIN_PREFIX_LENGTH
                && candidate_length > length
                && candidate.to_lowercase().starts_with(&lower)
            {
                prefix_matches.push(candidate);
            }
            let longer = length.max(candidate_length);
            // The distance is at least the difference in length, which is cheap to compute.
            if length.abs_diff(candidate_length) * 3 > longer {
                return None;
            }
            let candidate_lower = candidate.to_lowercase();
            if letters.min_distance(&candidate_lower) * 3 > longer {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&lower, &candidate_lower);
            (distance * 3 <= longer).then_some((distance, candidate))
        })
        .collect();
    close.sort_unstable();
    close.dedup();
    if close.is_empty() {
        prefix_matches.sort_unstable_by_key(|name| (name.len(), *name));
        prefix_matches.dedup();
        return prefix_matches.into_iter().take(2).map(str::to_owned).collect();
    }
    close.into_iter().take(2).map(|(_, name)| name.to_owned()).collect()
}

/// The number of occurrences of each ASCII letter in a name.
struct LetterCounts {
    counts: [u8; 128],
    length: usize,
}

impl LetterCounts {
    fn new(name: &str) -> Self {
        let mut counts = [0; 128];
        for letter in name.chars() {
            if let Some(count) = counts.get_mut(letter as usize) {
                // The length limit keeps every count within range.
                *count = u8::saturating_add(*count, 1);
            }
        }
        Self { counts, length: name.chars().count() }
    }

    /// Returns a lower bound of the edit distance, computed much faster than the distance itself.
    ///
    /// Each edit adds at most one missing letter, and a swap adds none. Non-ASCII letters are assumed to be
    /// in both names.
    fn min_distance(&self, other: &str) -> usize {
        let mut left = self.counts;
        let (mut common, mut length) = (0, 0);
        for letter in other.chars() {
            length += 1;
            match left.get_mut(letter as usize) {
                Some(0) => {}
                Some(count) => {
                    *count -= 1;
                    common += 1;
                }
                None => common += 1,
            }
        }
        self.length.max(length).saturating_sub(common)
    }
}

/// Returns the help line for an unknown name: `did you mean "user"?`.
pub fn did_you_mean<'a>(input: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    question(&close_names(input, candidates))
}

pub(super) fn question(close: &[String]) -> Option<String> {
    let names: Vec<String> = close.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Returns the names that a text suggests in the format of [`did_you_mean`].
///
/// ```
/// use converge_core::diagnostic::{did_you_mean, suggested};
///
/// let help = did_you_mean("guid", ["uid", "gid"]).unwrap_or_default();
/// assert_eq!(suggested(&help), ["gid", "uid"]);
/// assert!(suggested("its exports are `uid`").is_empty());
/// ```
pub fn suggested(text: &str) -> Vec<&str> {
    let Some((_, names)) = text.split_once("did you mean ") else { return Vec::new() };
    let Some((names, _)) = names.split_once('?') else { return Vec::new() };
    let quoted_length = |name: &'_ str| {
        let quote = name.chars().next().filter(|quote| matches!(quote, '`' | '"'))?;
        name.strip_prefix(quote)?.strip_suffix(quote).map(str::len)
    };
    names.split(" or ").filter_map(|name| name.get(1..=quoted_length(name)?)).collect()
}

/// Displays `; did you mean ..?` for the end of a message, or nothing.
#[doc(hidden)]
pub struct Suggest<'a>(pub &'a [String]);

impl fmt::Display for Suggest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        question(self.0).map_or(Ok(()), |question| write!(f, "; {question}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_offered() {
        let owner = ["destination", "user", "uid", "group", "gid", "recursive", "verbose"];
        let check = |given: &str, expect: &[&str]| {
            assert_eq!(close_names(given, owner), expect, "for {given}");
        };
        check("usr", &["user"]);
        check("gruop", &["group"]);
        check("guid", &["gid", "uid"]);
        check("Destination", &["destination"]);
        check("mode", &[]);
        check("x", &[]);
        check("", &[]);
    }

    #[test]
    fn the_work_for_one_name_does_not_grow_with_the_names() {
        let names: Vec<String> = (0..20_000).map(|number| format!("name{number}")).collect();
        let looked_at = std::cell::Cell::new(0);
        let counted = names.iter().map(|name| {
            looked_at.set(looked_at.get() + 1);
            name.as_str()
        });
        assert_eq!(close_names("naem7", counted), ["name7", "name17"]);
        assert_eq!(looked_at.get(), MAX_CANDIDATES);
        let long = "x".repeat(1 << 20);
        assert!(close_names(&long, [long.as_str()]).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn the_bound_is_never_above_the_distance(given in "[a-cä🦀]{0,8}", other in "[a-cä🦀]{0,8}") {
            let distance = strsim::damerau_levenshtein(&given, &other);
            proptest::prop_assert!(LetterCounts::new(&given).min_distance(&other) <= distance);
        }
    }

    #[test]
    fn help_names_at_most_two() {
        assert_eq!(did_you_mean("guid", ["uid", "gid"]).as_deref(), Some("did you mean `gid` or `uid`?"));
        assert_eq!(did_you_mean("zzz", ["uid"]), None);
    }
}
