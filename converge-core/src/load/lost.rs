//! What a module writes and what is no node all the same, because something is wrong with it.
//!
//! A reference to it is not a second mistake: reporting it would say that something does not exist which
//! is there for everyone to see.

use std::collections::HashSet;

use crate::report::close_names;

/// Names that lead nowhere because of a mistake that has been reported.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// Declarations that made no node: type and name as they are written.
    declared: Vec<(String, String)>,
    /// What looks like a declaration in a text of which not all could be read: `file.content.page`.
    written: HashSet<String>,
}

impl Lost {
    /// A declaration that made no node.
    pub(super) fn add(&mut self, kind: &str, name: &str) {
        self.declared.push((kind.to_owned(), name.to_owned()));
    }

    /// Not all of this text could be read, so anything that is declared in it may be missing.
    pub(super) fn add_text(&mut self, text: &str) {
        if self.written.is_empty() {
            self.written = text.lines().filter_map(head).collect();
        }
    }

    /// Whether `path` leads nowhere because of what is lost.
    pub(super) fn explains(&self, path: &str) -> bool {
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        ends.map(|end| &path[..end]).any(|name| self.written.contains(name))
            || self.declared.iter().any(|(kind, name)| meant(path, kind, name))
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

/// Whether `path` names the declaration, with the type as it is written or nearly so.
fn meant(path: &str, kind: &str, name: &str) -> bool {
    let parts: Vec<&str> = path.split('.').collect();
    let (kinds, names) = (kind.split('.').count(), name.split('.').count());
    let (Some(given), Some(label)) = (parts.get(..kinds), parts.get(kinds..kinds + names)) else {
        return false;
    };
    label.join(".") == name && !close_names(&given.join("."), [kind]).is_empty()
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
