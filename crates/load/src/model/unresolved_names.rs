//! Declarations that made no node because of an error.
//!
//! A reference to one of them is not reported. Its message would claim that something does not exist although
//! the author can see it in the text.

use std::collections::{HashMap, HashSet};

use crate::diagnostic::close_names;

/// The maximum number of types that are remembered for one name.
const MAX_KINDS: usize = 32;

/// The maximum number of parts of a path that are considered; real names have few.
const MAX_PARTS: usize = 24;

/// Names that cannot be resolved because of a reported error.
#[derive(Debug, Default)]
pub(crate) struct Unresolved {
    /// The declarations that made no node: types as written, by name.
    declared: HashMap<String, Vec<String>>,
    /// Probable declarations in text that was not parsed completely: `file.content.page`.
    written: HashSet<String>,
}

impl Unresolved {
    pub(crate) fn add(&mut self, kind: &str, name: &str) {
        let kinds = self.declared.entry(name.to_owned()).or_default();
        if kinds.len() < MAX_KINDS && !kinds.iter().any(|existing| existing == kind) {
            kinds.push(kind.to_owned());
        }
    }

    /// Adds the path of a missing node within its module: `module.web`.
    pub(crate) fn add_path(&mut self, path: &str) {
        self.written.insert(path.to_owned());
    }

    /// Adds the probable declarations in a text that was not parsed completely.
    pub(crate) fn add_text(&mut self, text: &str) {
        self.written.extend(text.lines().filter_map(head));
    }

    /// Returns whether a declaration that made no node explains why `path` cannot be resolved.
    ///
    /// The declaration may be the target itself, or a module on the path.
    pub(crate) fn explains(&self, path: &str) -> bool {
        if self.written.is_empty() && self.declared.is_empty() {
            return false;
        }
        let separators = path.char_indices().filter(|(_, c)| matches!(c, '.' | '/' | '['));
        let bounds: Vec<usize> = separators.map(|(at, _)| at).chain([path.len()]).take(MAX_PARTS).collect();
        let starts = std::iter::once(0).chain(bounds.iter().map(|bound| bound + 1));
        starts.enumerate().any(|(first, start)| {
            (first..bounds.len()).any(|last| {
                let name = path.get(start..bounds[last]);
                name.is_some_and(|name| self.written.contains(name))
                    || self.is_declared(path, start, &bounds[first..=last])
            })
        })
    }

    /// Returns whether the part from `start` to the last of `ends` is a declaration.
    ///
    /// Its type may be misspelt.
    fn is_declared(&self, path: &str, start: usize, boundaries: &[usize]) -> bool {
        let Some((&end, kinds)) = boundaries.split_last() else { return false };
        kinds.iter().any(|&split| {
            let (Some(kind), Some(name)) = (path.get(start..split), path.get(split + 1..end)) else {
                return false;
            };
            let kinds_of_name = self.declared.get(name).map(Vec::as_slice).unwrap_or_default();
            kinds_of_name.iter().any(|candidate| {
                candidate.matches('.').count() == kind.matches('.').count()
                    && !close_names(kind, [candidate.as_str()]).is_empty()
            })
        })
    }
}

/// Returns `type.name` of a line that looks like the head of a block.
fn head(line: &str) -> Option<String> {
    let (kind, rest) = line.split_once('"')?;
    let (name, _) = rest.split_once('"')?;
    let kind = kind.trim();
    let is_kind = !kind.is_empty() && kind.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    is_kind.then(|| format!("{kind}.{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_explains_what_is_missing() {
        let mut unresolved = Unresolved::default();
        let check = |unresolved: &Unresolved, path: &str, expect: bool| {
            assert_eq!(unresolved.explains(path), expect, "{path}");
        };
        check(&unresolved, "file.content.page", false);
        unresolved.add("file.contnt", "page");
        check(&unresolved, "file.content.page.destination", true);
        check(&unresolved, "file.contnt.page", true);
        check(&unresolved, "file.content.pager", false);
        check(&unresolved, "file.content", false);
        check(&unresolved, "task.build", false);
        unresolved.add_text("# a\n  task \"build\" {\n  say = \"a\"\n");
        check(&unresolved, "task.build.status.stdout", true);
        check(&unresolved, "task.query.build", false);
        check(&unresolved, "", false);
    }
}
