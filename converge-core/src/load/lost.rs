//! What a module writes and what is no node all the same, because something is wrong with it.
//!
//! A reference to it is not a second mistake: reporting it would say that something does not exist which
//! is there for everyone to see.

use std::collections::{HashMap, HashSet};

use crate::report::close_names;

/// How many parts of a path are looked at: names have few.
const MAX_PARTS: usize = 24;

/// Names that lead nowhere because of a mistake that has been reported.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// Declarations that made no node: types as they are written, by the name.
    declared: HashMap<String, Vec<String>>,
    /// What looks like a declaration in a text of which not all could be read: `file.content.page`.
    written: HashSet<String>,
}

impl Lost {
    /// A declaration that made no node.
    pub(super) fn add(&mut self, kind: &str, name: &str) {
        let kinds = self.declared.entry(name.to_owned()).or_default();
        if !kinds.iter().any(|known| known == kind) {
            kinds.push(kind.to_owned());
        }
    }

    /// What would have had this name within its module: `module.web`.
    pub(super) fn add_path(&mut self, path: &str) {
        self.written.insert(path.to_owned());
    }

    /// Not all of this text could be read, so anything that is declared in it may be missing.
    pub(super) fn add_text(&mut self, text: &str) {
        self.written.extend(text.lines().filter_map(head));
    }

    /// Whether `path` leads nowhere because of what is lost: itself, or a module on the way.
    pub(super) fn explains(&self, path: &str) -> bool {
        if self.written.is_empty() && self.declared.is_empty() {
            return false;
        }
        let separators = path.char_indices().filter(|(_, c)| matches!(c, '.' | '/'));
        let bounds: Vec<usize> = separators.map(|(at, _)| at).chain([path.len()]).take(MAX_PARTS).collect();
        let starts = std::iter::once(0).chain(bounds.iter().map(|bound| bound + 1));
        starts.enumerate().any(|(at, start)| {
            let ends = bounds.get(at..).unwrap_or_default();
            self.explains_name(path, start, ends)
        })
    }

    /// Whether a name that begins at `start` and ends at one of `ends` is lost.
    fn explains_name(&self, path: &str, start: usize, ends: &[usize]) -> bool {
        ends.iter().enumerate().any(|(at, &end)| {
            let Some(found) = path.get(start..end) else { return false };
            self.written.contains(found) || self.is_declared(path, start, ends.get(..=at).unwrap_or_default())
        })
    }

    /// Whether what is between `start` and the last of `ends` is a declaration, with the type as it is written
    /// or nearly so.
    fn is_declared(&self, path: &str, start: usize, ends: &[usize]) -> bool {
        let Some((&end, kinds)) = ends.split_last() else { return false };
        kinds.iter().any(|&split| {
            let (Some(kind), Some(name)) = (path.get(start..split), path.get(split + 1..end)) else {
                return false;
            };
            let known = self.declared.get(name).map(Vec::as_slice).unwrap_or_default();
            known.iter().any(|known| {
                known.matches('.').count() == kind.matches('.').count()
                    && !close_names(kind, [known.as_str()]).is_empty()
            })
        })
    }
}

/// `type.name` of a line that begins like a block.
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
        let mut lost = Lost::default();
        let check = |lost: &Lost, path: &str, expect: bool| assert_eq!(lost.explains(path), expect, "{path}");
        check(&lost, "file.content.page", false);
        lost.add("file.contnt", "page");
        check(&lost, "file.content.page.destination", true);
        check(&lost, "file.contnt.page", true);
        check(&lost, "file.content.pager", false);
        check(&lost, "file.content", false);
        check(&lost, "task.build", false);
        lost.add_text("# a\n  task \"build\" {\n  say = \"a\"\n");
        check(&lost, "task.build.status.stdout", true);
        check(&lost, "task.query.build", false);
        check(&lost, "", false);
    }
}
