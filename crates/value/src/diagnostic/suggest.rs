//! "Did you mean": at most two names, and only ones that are truly close.

use std::fmt;

/// With how many candidates a name is compared at most: a text with very many mistakes would otherwise take time
/// that grows with its square.
const MAX_CANDIDATES: usize = 1000;

/// How many letters say which name was begun.
const LEAST_BEGINNING: usize = 3;

/// The longest name that is compared, in bytes: the time of that grows with its square.
const MAX_LENGTH: usize = 200;

/// The one or two candidates nearest to `given`, nearest first. Only the first thousand are looked at.
///
/// A candidate is close when the edit distance (a swap of neighbours counts as one) is at most a third
/// of the longer name, so short names do not suggest everything: the fixed bound of five edits in the
/// original matched nearly any field. Where none is, those are that begin with it: what is cut off has lost most of its letters.
///
/// ```
/// use converge_core::diagnostic::close_names;
///
/// assert_eq!(close_names("destinaton", ["destination", "user"]), ["destination"]);
/// assert_eq!(close_names("dest", ["destination", "user"]), ["destination"]);
/// assert!(close_names("x", ["uid", "gid"]).is_empty());
/// ```
pub fn close_names<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    close_among(given, candidates.into_iter().take(MAX_CANDIDATES))
}

/// The same among all candidates, for callers that count them.
#[doc(hidden)]
pub fn close_among<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    if given.len() > MAX_LENGTH {
        return Vec::new();
    }
    let lower = given.to_lowercase();
    let length = given.chars().count();
    let letters = Letters::of(&lower);
    let mut begun: Vec<&str> = Vec::new();
    let mut close: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            if candidate.len() > MAX_LENGTH {
                return None;
            }
            let other = candidate.chars().count();
            if length >= LEAST_BEGINNING && other > length && candidate.to_lowercase().starts_with(&lower) {
                begun.push(candidate);
            }
            let longer = length.max(other);
            // The distance is at least the difference in length, which costs nothing to know.
            if length.abs_diff(other) * 3 > longer {
                return None;
            }
            let candidate_lower = candidate.to_lowercase();
            if letters.least_distance(&candidate_lower) * 3 > longer {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&lower, &candidate_lower);
            (distance * 3 <= longer).then_some((distance, candidate))
        })
        .collect();
    close.sort_unstable();
    close.dedup();
    if close.is_empty() {
        begun.sort_unstable_by_key(|name| (name.len(), *name));
        begun.dedup();
        return begun.into_iter().take(2).map(str::to_owned).collect();
    }
    close.into_iter().take(2).map(|(_, name)| name.to_owned()).collect()
}

/// How often each letter of ASCII is in a name.
struct Letters {
    counts: [u8; 128],
    length: usize,
}

impl Letters {
    fn of(name: &str) -> Self {
        let mut counts = [0; 128];
        for letter in name.chars() {
            if let Some(count) = counts.get_mut(letter as usize) {
                // No name that is compared has more than fit.
                *count = u8::saturating_add(*count, 1);
            }
        }
        Self { counts, length: name.chars().count() }
    }

    /// A bound of the edit distance that takes far less time: each edit brings at most one letter that was missing, and a swap none. Letters
    /// beyond ASCII are taken for ones that both have.
    fn least_distance(&self, other: &str) -> usize {
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

/// The help line for a name that was not found: `did you mean "user"?`.
pub fn did_you_mean<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    question(&close_names(given, candidates))
}

pub(super) fn question(close: &[String]) -> Option<String> {
    let names: Vec<String> = close.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// The names that a text asks whether they were meant, as [`did_you_mean`] writes it, or as part of a message.
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
    let bare = |name: &'_ str| {
        let quote = name.chars().next().filter(|quote| matches!(quote, '`' | '"'))?;
        name.strip_prefix(quote)?.strip_suffix(quote).map(str::len)
    };
    names.split(" or ").filter_map(|name| name.get(1..=bare(name)?)).collect()
}

/// `; did you mean ..?` at the end of a message, or nothing.
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
            proptest::prop_assert!(Letters::of(&given).least_distance(&other) <= distance);
        }
    }

    #[test]
    fn help_names_at_most_two() {
        assert_eq!(did_you_mean("guid", ["uid", "gid"]).as_deref(), Some("did you mean `gid` or `uid`?"));
        assert_eq!(did_you_mean("zzz", ["uid"]), None);
    }
}
