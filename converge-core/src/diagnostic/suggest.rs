//! "Did you mean": at most two names, and only ones that are truly close.

use std::fmt;

/// The one or two candidates nearest to `given`, nearest first.
///
/// A candidate is close when the edit distance (a swap of neighbours counts as one) is at most a third
/// of the longer name, so short names do not suggest everything: the fixed bound of five edits in the
/// original matched nearly any field.
///
/// ```
/// use converge_core::diagnostic::close_names;
///
/// assert_eq!(close_names("destinaton", ["destination", "user"]), ["destination"]);
/// assert!(close_names("x", ["uid", "gid"]).is_empty());
/// ```
pub fn close_names<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lower = given.to_lowercase();
    let length = given.chars().count();
    let mut close: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.chars().count();
            let longer = length.max(other);
            // The distance is at least the difference in length, which costs nothing to know.
            if length.abs_diff(other) * 3 > longer {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            (distance * 3 <= longer).then_some((distance, candidate))
        })
        .collect();
    close.sort_unstable();
    close.dedup();
    close.into_iter().take(2).map(|(_, name)| name.to_owned()).collect()
}

/// The help line for a name that was not found: `did you mean "user"?`.
pub fn did_you_mean<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    question(&close_names(given, candidates))
}

fn question(close: &[String]) -> Option<String> {
    let names: Vec<String> = close.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// `; did you mean ..?` at the end of a message, or nothing.
pub(crate) struct Suggest<'a>(pub(crate) &'a [String]);

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
    fn help_names_at_most_two() {
        assert_eq!(did_you_mean("guid", ["uid", "gid"]).as_deref(), Some("did you mean `gid` or `uid`?"));
        assert_eq!(did_you_mean("zzz", ["uid"]), None);
    }
}
