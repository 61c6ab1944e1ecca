//! Parsing of large files without errors on two threads.
//!
//! The end of an item is only certain once everything before it is parsed. The second half therefore starts
//! at a probable end of an item. It counts only if parsing the first half ends exactly there, so that both
//! halves together equal a sequential parse. If there is any diagnostic, the file is parsed again on one
//! thread, so that the diagnostics and their order are always the same.
//!
//! Each half checks an item as soon as it is parsed, so that the whole tree of a large module is never in
//! memory.

use std::cell::Cell;
use std::ops::Range;
use std::thread;

use super::item_reader::ItemReader;
use crate::language::WorkBudget;
use crate::language::expression::MAX_CONSTANT_STEPS;
use crate::model::blueprint::Blueprint;
use crate::model::problems::Problems;
use crate::syntax::{MAX_SOURCE_BYTES, parse_part};

/// The minimum length in bytes for two threads; a shorter text is parsed before a thread has started.
const LARGE: usize = 256 * 1024;

/// Parses the items of a large text without errors; returns `None` for any other text.
pub(super) fn read(reader: &ItemReader<'_>, problems: &Problems) -> Option<Vec<Blueprint>> {
    if !(LARGE..=MAX_SOURCE_BYTES).contains(&reader.text.len()) {
        return None;
    }
    read_from(reader, problems, split(reader.text)?)
}

/// Returns the probable start of the second half: after a line that closes a block.
fn split(text: &str) -> Option<usize> {
    const CLOSED: &str = "\n}\n";
    let middle = text.ceil_char_boundary(text.len() / 2);
    text[middle..].find(CLOSED).map(|offset| middle + offset + CLOSED.len())
}

/// Parses the text before and after `place` at the same time.
fn read_from(reader: &ItemReader<'_>, problems: &Problems, place: usize) -> Option<Vec<Blueprint>> {
    let read = |part: Range<usize>| Half::read(reader, problems, part);
    let (first, second) = thread::scope(|scope| {
        let second = thread::Builder::new().name("converge-load".to_owned());
        // If no thread can be started, one thread parses everything.
        let second = second.spawn_scoped(scope, || read(place..reader.text.len())).ok()?;
        let (first, second) = (read(0..place), second.join());
        // If the thread panicked, the sequential parse panics in the same way.
        Some((first?, second.ok()??))
    })?;
    let steps = first.steps + second.steps;
    // The sequential parse reports an exceeded limit with its position.
    if first.next != second.first || !reader.budget.has_left(steps + u64::from(MAX_CONSTANT_STEPS)) {
        return None;
    }
    reader.budget.spend(steps);
    let mut items = first.items;
    items.reserve_exact(second.items.len());
    items.extend(second.items);
    Some(items)
}

/// A parsed half without diagnostics.
struct Half {
    items: Vec<Blueprint>,
    /// The offset of its first item.
    first: usize,
    /// The offset after its last item.
    next: usize,
    /// The number of steps that its constants took.
    steps: u64,
}

impl Half {
    fn read(reader: &ItemReader<'_>, problems: &Problems, range: Range<usize>) -> Option<Self> {
        let budget = WorkBudget::from_limits(*reader.budget.limits()).until(problems.stop.clone());
        let reader = ItemReader { budget: &budget, ..*reader };
        let mut part_problems = Problems { stop: problems.stop.clone(), ..Problems::default() };
        let templates = reader.templates();
        let (mut items, is_clean) = (Vec::new(), Cell::new(true));
        // One error is enough to require a sequential parse, so the half stops there.
        let goes_on = || is_clean.get() && problems.stopped().is_none();
        let parsed = parse_part(reader.text, range, &goes_on, &mut |item| {
            reader.item(item, &[], &templates, &mut part_problems, &mut items);
            is_clean.set(part_problems.is_empty());
        })?;
        let is_whole = goes_on();
        is_whole.then(|| Self { items, first: parsed.first, next: parsed.next, steps: budget.spent() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{NamedText, SourceMap};
    use crate::graph::LexicalScope;
    use crate::language::WorkLimits;
    use crate::sdk::registry::Registry;
    use crate::syntax::parse;
    use crate::types::type_table::TypeTable;
    use std::sync::Arc;

    /// Parses a text as a whole and in two parts, for each possible cut and with the given number of steps.
    ///
    /// Returns for each cut whether both halves counted.
    fn cut(text: &str, steps: u64) -> Vec<bool> {
        let registry = Registry::new();
        let (types, mut sources) = (TypeTable::new(&registry), SourceMap::new());
        let file = sources.next_id();
        sources.insert(file, Arc::new(NamedText::new("m.hcl", text.into())));
        let budget = || WorkBudget::new(WorkLimits { steps, ..WorkLimits::default() });
        let (first_budget, scope) = (budget(), LexicalScope::root());
        let reader =
            ItemReader { file, text, types: &types, sources: &sources, scope: &scope, budget: &first_budget };
        let mut problems = Problems::default();
        let (body, errors) = parse(file, text);
        let whole_items = reader.items(body, &[], &mut problems);
        let is_clean = errors.is_empty() && problems.diagnostics.is_empty();
        let places = text.match_indices("\n}\n").map(|(at, closed)| at + closed.len());
        let cut = |place| {
            let two = budget();
            let parts = read_from(&ItemReader { budget: &two, ..reader }, &Problems::default(), place);
            if let Some(items) = &parts {
                assert!(is_clean, "{text}");
                assert_eq!(format!("{items:?}"), format!("{whole_items:?}"), "{text}");
                assert_eq!(two.spent(), first_budget.spent(), "{text}");
            } else {
                assert_eq!(two.spent(), 0, "{text}");
            }
            parts.is_some()
        };
        places.map(cut).collect()
    }

    const ENOUGH: u64 = 1_000_000;

    #[test]
    fn halves_are_what_one_thread_reads() {
        let param = |name: &str| format!("param \"{name}\" {{\n  default = \"{{{{env `A`}}}}{name}\"\n}}\n");
        let [a, b, c] = ["a", "b", "c"].map(param);
        assert_eq!(cut(&format!("{a}{b}{c}"), ENOUGH), [true, true, true]);
        assert_eq!(cut(&format!("\u{feff}{a}# {{\n\n{b}"), ENOUGH), [true, true]);
        assert_eq!(
            cut(&format!("{a}param \"n\" {{\n  default = 2 + 3 * 4\n}}\n{b}"), ENOUGH),
            [true, true, true]
        );
    }

    #[test]
    fn what_only_looks_like_an_end_is_none() {
        let heredoc = "param \"a\" {\n  default = <<END\nx\n}\nparam \"y\" {}\nEND\n}\n";
        assert_eq!(cut(heredoc, ENOUGH), [false, true]);
        let comment =
            "param \"a\" {\n  default = 1\n}\n/*\n}\nparam \"y\" {}\n*/\nparam \"b\" {\n  default = 2\n}\n";
        assert_eq!(cut(comment, ENOUGH), [true, false, true]);
        let nested = "param \"a\" {\n  default = {\n    x = {\n      y = 1\n}\n    z = 1\n  }\n}\n";
        assert_eq!(cut(nested, ENOUGH), [false, true]);
    }

    #[test]
    fn of_what_is_wrong_one_thread_tells() {
        let valid = "param \"a\" {\n  default = 1\n}\n";
        for invalid in ["param \"b\" {\n  default = \n}\n", "x = 1\n", "other \"b\" {\n}\n", ",\n", "}\n"] {
            assert!(!cut(&format!("{valid}{invalid}"), ENOUGH).contains(&true), "{invalid}");
            assert!(!cut(&format!("{invalid}{valid}{valid}"), ENOUGH).contains(&true), "{invalid}");
        }
        // With few steps left, the result depends on the order of evaluation.
        assert_eq!(cut(&format!("{valid}{valid}"), 10), [false, false]);
    }
}
