//! The indentation and column alignment of lines.
//!
//! The form is that of `terraform fmt`, with one difference: a line that begins with closing brackets is
//! indented like the line that opened them, even if it opens others. Cells beyond column 100 are not aligned,
//! because one long name would otherwise widen every line. A comment ends a run of aligned lines; a heredoc
//! belongs to the run before it.

use std::ops::Range;

use super::layout::{Gap, SpacedLexeme};
use super::lexeme::LexemeKind;

const INDENT: usize = 2;

/// The column beyond which cells are not aligned, to limit the spaces added to each line.
const WIDEST: usize = 100;

/// A line, or several if one of its tokens spans several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tokens: Range<usize>,
    pub(super) blank_before: bool,
    pub(super) indent: usize,
    /// The `=` to align, with the number of spaces before it.
    pub(super) assign: Option<Cell>,
    /// The trailing comment to align, with the number of spaces before it.
    pub(super) comment: Option<Cell>,
}

/// A token that is aligned with those above and below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) token: usize,
    pub(super) spaces: usize,
}

/// Divides the tokens into lines, with their indentation and their alignable cells.
pub(super) fn lines(placed: &[SpacedLexeme]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut open = Vec::new();
    let mut start = 0;
    while start < placed.len() {
        let length = placed[start + 1..].iter().take_while(|placed| !placed.gap.is_line()).count() + 1;
        let tokens = start..start + length;
        let indent = indent(&placed[tokens.clone()], &mut open) * INDENT;
        let (assign, comment) = cells(placed, &tokens);
        let blank_before = placed[start].gap == Gap::Blank;
        start = tokens.end;
        lines.push(Line { tokens, blank_before, indent, assign, comment });
    }
    lines
}

/// Returns the level of a line.
///
/// All brackets that it opens together add one level.
fn indent(line: &[SpacedLexeme], open: &mut Vec<usize>) -> usize {
    let closing = line.iter().take_while(|placed| matches!(placed.kind(), LexemeKind::Close(_))).count();
    let mut level = match open.last() {
        Some(inside) => inside + 1,
        None => 0,
    };
    if line.first().is_some_and(|first| first.gap == Gap::Wrap) {
        level += 1;
    }
    for _ in 0..closing {
        if let Some(opened) = open.pop() {
            level = opened;
        }
    }
    for placed in &line[closing..] {
        match placed.kind() {
            LexemeKind::Open(_) => open.push(level),
            LexemeKind::Close(_) => {
                open.pop();
            }
            _ => {}
        }
    }
    level
}

/// Finds the `=` of an attribute that ends on the line, and the trailing comment.
fn cells(placed: &[SpacedLexeme], tokens: &Range<usize>) -> (Option<Cell>, Option<Cell>) {
    let line = &placed[tokens.clone()];
    let depth = |depth: isize, kind| match kind {
        LexemeKind::Open(_) => depth + 1,
        LexemeKind::Close(_) => depth - 1,
        _ => depth,
    };
    let cell = |at: usize| Cell { token: tokens.start + at, spaces: 1 };
    let flat = line.iter().take_while(|placed| {
        !placed.tall()
            && !matches!(placed.kind(), LexemeKind::Assign | LexemeKind::Open(_) | LexemeKind::Close(_))
    });
    let index = flat.count();
    let assign = line.get(index).filter(|placed| index > 0 && placed.kind() == LexemeKind::Assign);
    let is_balanced = || line[index..].iter().fold(0, |open, placed| depth(open, placed.kind())) == 0;
    let assign = assign.filter(|_| is_balanced()).map(|_| cell(index));
    let comment = line.split_last().filter(|(last, before)| {
        last.kind().is_comment() && !before.is_empty() && !line.iter().any(SpacedLexeme::tall)
    });
    (assign, comment.map(|_| cell(line.len() - 1)))
}

/// Aligns the `=` of consecutive attributes, then the trailing comments.
pub(super) fn align(source: &str, placed: &[SpacedLexeme], lines: &mut [Line]) {
    let mut run = Run::default();
    for index in 0..lines.len() {
        let width = lines[index].assign.map(|cell| width(source, placed, &lines[index], cell.token));
        run.line(lines, index, width, |line| line.assign.as_mut());
        if placed[lines[index].tokens.clone()].iter().any(SpacedLexeme::tall) {
            run.end(lines, index + 1, |line| line.assign.as_mut());
        }
    }
    run.end(lines, lines.len(), |line| line.assign.as_mut());
    let mut run = Run::default();
    for index in 0..lines.len() {
        let width = lines[index].comment.map(|cell| width(source, placed, &lines[index], cell.token));
        run.line(lines, index, width, |line| line.comment.as_mut());
    }
    run.end(lines, lines.len(), |line| line.comment.as_mut());
}

fn width(source: &str, placed: &[SpacedLexeme], line: &Line, token: usize) -> usize {
    let mut width = line.indent;
    for (index, placed) in line.tokens.clone().zip(&placed[line.tokens.start..token]) {
        width += placed.text(source).chars().count();
        if index > line.tokens.start {
            width += spaces(line, index, placed);
        }
    }
    width
}

/// Returns the number of spaces before a token that is not the first of its line.
pub(super) fn spaces(line: &Line, index: usize, placed: &SpacedLexeme) -> usize {
    let cells = [line.assign, line.comment];
    match cells.into_iter().flatten().find(|cell| cell.token == index) {
        Some(cell) => cell.spaces,
        None => usize::from(placed.gap == Gap::Space),
    }
}

/// A run of consecutive lines that have a cell.
#[derive(Default)]
struct Run {
    start: usize,
    /// The width before the cell of each line.
    widths: Vec<usize>,
}

impl Run {
    /// Adds the line to the run, or ends the run.
    fn line(
        &mut self,
        lines: &mut [Line],
        at: usize,
        width: Option<usize>,
        cell: impl Fn(&mut Line) -> Option<&mut Cell>,
    ) {
        let width = width.filter(|width| *width <= WIDEST);
        if width.is_none() || lines[at].blank_before {
            self.end(lines, at, cell);
        }
        match width {
            Some(width) => self.widths.push(width),
            None => self.start = at + 1,
        }
    }

    /// Aligns the lines of the run.
    ///
    /// The next run begins at line `next`.
    fn end(&mut self, lines: &mut [Line], next: usize, cell: impl Fn(&mut Line) -> Option<&mut Cell>) {
        let widest = self.widths.iter().copied().max().unwrap_or(0);
        for (line, width) in lines[self.start..].iter_mut().zip(self.widths.drain(..)) {
            if let Some(cell) = cell(line) {
                cell.spaces = widest - width + 1;
            }
        }
        self.start = next;
    }
}
