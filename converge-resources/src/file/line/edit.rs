//! The edit that puts a line into a text, or removes lines.

use crate::file::edit::insertion_point::{Place, Which};
use crate::file::edit::lines::{self, Line};
use crate::file::edit::pattern::Pattern;
use crate::file::edit::replacement::Replacement;
use crate::file::edit::{Edit, Edited};
use crate::text::Text;

#[derive(Debug)]
pub(super) struct LineEdit {
    pub(super) change: Change,
    /// The choice among several matching lines.
    pub(super) which: Which,
}

#[derive(Debug)]
pub(super) enum Change {
    /// Ensures that the line is present, in the place of a matching line if there is one.
    Put {
        line: Text,
        pattern: Option<Pattern>,
        place: Place,
    },
    /// Replaces a matching line by a text made of its groups.
    Rewrite {
        pattern: Pattern,
        replacement: Replacement,
        secret: bool,
    },
    Remove(Text),
    RemoveMatches(Pattern),
}

impl LineEdit {
    /// Returns the indices of the matching lines that `which` selects.
    fn hits(&self, lines: &[Line<'_>], pattern: &Pattern) -> Vec<usize> {
        let mut hits = lines.iter().enumerate().filter(|(_, line)| pattern.regex().is_match(line.body));
        match self.which {
            Which::First => hits.next().into_iter().map(|(at, _)| at).collect(),
            Which::Last => hits.next_back().into_iter().map(|(at, _)| at).collect(),
            Which::All => hits.map(|(at, _)| at).collect(),
        }
    }

    fn put(&self, before: &str, line: &str, pattern: Option<&Pattern>, place: &Place) -> Edited {
        let mut lines = lines::lines(before);
        let hits = pattern.map(|pattern| self.hits(&lines, pattern)).unwrap_or_default();
        for index in &hits {
            if let Some(hit) = lines.get_mut(*index) {
                hit.body = line;
            }
        }
        if !hits.is_empty() || lines.iter().any(|have| have.body == line) {
            return Edited::new(lines::text(lines));
        }
        let (position, note) = place.find(&lines, self.which);
        let ending = lines::ending(&lines);
        lines::insert(&mut lines, position, [line], ending);
        let edited = Edited::new(lines::text(lines));
        match note {
            Some(note) => edited.noting(note),
            None => edited,
        }
    }

    fn rewrite(&self, before: &str, pattern: &Pattern, replacement: &Replacement) -> Result<Edited, String> {
        let mut lines = lines::lines(before);
        let mut bodies = Vec::new();
        for index in self.hits(&lines, pattern) {
            let captures = lines.get(index).and_then(|line| pattern.regex().captures(line.body));
            let Some(captures) = captures else { continue };
            let mut body = String::new();
            replacement.expand(&captures, &mut body);
            if body.contains('\n') {
                return Err(format!("what takes the place of line {} is more than one line", index + 1));
            }
            bodies.push((index, body));
        }
        for (index, body) in &bodies {
            if let Some(line) = lines.get_mut(*index) {
                line.body = body;
            }
        }
        Ok(Edited::new(lines::text(lines)))
    }
}

impl Edit for LineEdit {
    fn edit(&self, text: &str) -> Result<Edited, String> {
        let remove_lines = |is_removed: &dyn Fn(&str) -> bool| {
            Edited::new(lines::text(lines::lines(text).into_iter().filter(|line| !is_removed(line.body))))
        };
        match &self.change {
            Change::Put { line, pattern, place } => Ok(self.put(text, line, pattern.as_ref(), place)),
            Change::Rewrite { pattern, replacement, .. } => self.rewrite(text, pattern, replacement),
            Change::Remove(line) => Ok(remove_lines(&|body| body == &**line)),
            Change::RemoveMatches(pattern) => Ok(remove_lines(&|body| pattern.regex().is_match(body))),
        }
    }

    fn needs_file(&self) -> bool {
        matches!(self.change, Change::Rewrite { .. })
    }

    fn is_secret(&self) -> bool {
        match &self.change {
            // Lines that a secret expression matches are not shown either.
            Change::Put { line, pattern, .. } => {
                line.is_secret() || pattern.as_ref().is_some_and(Pattern::is_secret)
            }
            Change::Rewrite { pattern, secret, .. } => *secret || pattern.is_secret(),
            Change::Remove(line) => line.is_secret(),
            Change::RemoveMatches(pattern) => pattern.is_secret(),
        }
    }

    fn unsettled(&self) -> &'static str {
        "each run would change another line, as `match` matches others than `line`: write an expression that matches `line` as \
         well, or `which = \"all\"`"
    }
}
