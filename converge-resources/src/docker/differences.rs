use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;

use converge_sdk::prelude::*;
use indexmap::IndexMap;

use crate::text::Text;

/// The differences of an engine object from its declaration, in the order of the fields.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences(Vec<Difference>);

#[derive(Debug, PartialEq, Eq)]
struct Difference {
    /// The field, with the entry if the field is a map: `env.PATH`.
    name: String,
    sides: Sides,
}

#[derive(Debug, PartialEq, Eq)]
enum Sides {
    Shown { has: DiffValue, wants: DiffValue },
    Secret,
}

/// Whether a value that exists but is not declared may be shown.
///
/// Where secrets are common, the value may be one that the module declared earlier, and no state remembers
/// that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undeclared {
    Shown,
    Hidden,
}

impl Differences {
    pub(super) fn compare<T: PartialEq + Display>(&mut self, name: &str, current: &T, target: &T) {
        if current != target {
            self.add(name.to_owned(), or_nothing(current.to_string()), or_nothing(target.to_string()));
        }
    }

    /// Compares two lists in order.
    pub(super) fn compare_lists(&mut self, name: &str, current: &[String], target: &[Text]) {
        if !current.iter().map(String::as_str).eq(target.iter().map(|text| &**text)) {
            if target.iter().any(Text::is_secret) {
                self.0.push(Difference { name: name.to_owned(), sides: Sides::Secret });
                return;
            }
            let target: Vec<_> = target.iter().map(Text::shown).collect();
            self.add(name.to_owned(), or_nothing(words(current)), or_nothing(words(&target)));
        }
    }

    pub(super) fn compare_sets(&mut self, name: &str, current: &BTreeSet<String>, target: &BTreeSet<String>) {
        if current != target {
            let text =
                |set: &BTreeSet<String>| or_nothing(set.iter().cloned().collect::<Vec<_>>().join(", "));
            self.add(name.to_owned(), text(current), text(target));
        }
    }

    /// Compares two maps, with a difference for each entry.
    pub(super) fn compare_maps(
        &mut self,
        name: &str,
        has: &HashMap<String, String>,
        wants: &IndexMap<String, Text>,
        undeclared: Undeclared,
    ) {
        let keys: BTreeSet<&String> = has.keys().chain(wants.keys()).collect();
        for key in keys {
            let (current, target) = (has.get(key), wants.get(key));
            if current.map(String::as_str) == target.map(|text| &**text) {
                continue;
            }
            let name = format!("{name}.{key}");
            if target.is_some_and(Text::is_secret) {
                self.0.push(Difference { name, sides: Sides::Secret });
                continue;
            }
            // An empty value counts as a value.
            let current = match current {
                Some(_) if target.is_none() && undeclared == Undeclared::Hidden => {
                    DiffValue::Placeholder("(set)".to_owned())
                }
                Some(value) => value.into(),
                None => nothing(),
            };
            let target = target.map_or_else(nothing, |wants| wants.shown().into());
            self.add(name, current, target);
        }
    }

    fn add(&mut self, name: String, current: DiffValue, target: DiffValue) {
        self.0.push(Difference { name, sides: Sides::Shown { has: current, wants: target } });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Formats the names of the differing fields for use in a sentence.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.0.iter().map(|difference| format!("`{}`", difference.name)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, first)) => format!("{} and {last}", first.join(", ")),
            None => String::new(),
        }
    }

    pub(super) fn report(&self, status: &mut Status) {
        for Difference { name, sides } in &self.0 {
            match sides {
                Sides::Shown { has, wants } => status.add_difference(name, has.clone(), wants.clone()),
                Sides::Secret => status.add_diff(name, SecretDiff { changes: true }),
            }
        }
    }
}

/// Returns the value shown for something that does not exist.
fn nothing() -> DiffValue {
    DiffValue::Placeholder("(none)".to_owned())
}

fn or_nothing(text: String) -> DiffValue {
    if text.is_empty() { nothing() } else { text.into() }
}

/// Formats words as a shell would, with quotes only where they are needed.
fn words(words: &[impl AsRef<str>]) -> String {
    let quote = |word: &str| {
        let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./:=,@%+".contains(sign);
        if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("{word:?}") }
    };
    words.iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::Undeclared::{Hidden, Shown};
    use super::*;

    #[test]
    fn maps() {
        let check =
            |undeclared: Undeclared, has: &[(&str, &str)], wants: &[(&str, &str, bool)], expect: &str| {
                let current =
                    has.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
                let target = wants
                    .iter()
                    .map(|(name, value, secret)| ((*name).to_owned(), Text::new(*value, *secret)))
                    .collect();
                let mut differences = Differences::default();
                differences.compare_maps("env", &current, &target, undeclared);
                let mut status = Status::new();
                differences.report(&mut status);
                let actual: Vec<_> = status
                    .diffs()
                    .iter()
                    .map(|(name, diff)| format!("{name}: {} => {}", diff.before(), diff.after()))
                    .collect();
                assert_eq!(actual.join("\n"), expect);
            };
        check(Shown, &[], &[], "");
        check(Shown, &[("A", "1"), ("B", "2")], &[("B", "2", false), ("A", "1", true)], "");
        check(Shown, &[("A", "1")], &[("A", "", false)], "env.A: 1 => ");
        check(Shown, &[], &[("B", "2", false), ("A", "1", false)], "env.A: (none) => 1\nenv.B: (none) => 2");
        check(Shown, &[("A", "1")], &[], "env.A: 1 => (none)");
        check(Hidden, &[("A", "1")], &[], "env.A: (set) => (none)");
        check(Hidden, &[("A", "1")], &[("A", "2", true)], "env.A: (sensitive) => (sensitive)");
    }

    #[test]
    fn lists_are_shown_as_a_shell_would() {
        let check = |has: &[&str], expect: &str| assert_eq!(words(has), expect);
        check(&[], "");
        check(&["httpd", "-p", "80"], "httpd -p 80");
        check(&["sh", "-c", "a b", ""], "sh -c \"a b\" \"\"");
    }
}
