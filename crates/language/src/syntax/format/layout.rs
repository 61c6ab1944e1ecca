//! The gap before each token: nothing, a space or a line end.

use std::ops::Range;

use super::lexeme::{Bracket, Lexeme, LexemeKind};
use super::space::space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    Space,
    Line,
    /// A line end and an empty line.
    Blank,
    /// A line end inside an item, outside of brackets.
    Wrap,
}

impl Gap {
    pub(super) fn is_line(self) -> bool {
        matches!(self, Self::Line | Self::Blank | Self::Wrap)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SpacedLexeme {
    pub(super) token: Lexeme,
    pub(super) gap: Gap,
    /// Whether this is a comma that is not in the source.
    ///
    /// The token is then the one before it.
    pub(super) added_comma: bool,
}

impl SpacedLexeme {
    pub(super) fn kind(&self) -> LexemeKind {
        if self.added_comma { LexemeKind::Comma } else { self.token.kind }
    }

    pub(super) fn tall(&self) -> bool {
        self.token.tall && !self.added_comma
    }

    pub(super) fn text<'a>(&self, source: &'a str) -> &'a str {
        if self.added_comma { "," } else { self.token.text(source) }
    }
}

/// The part of a body item that has been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemPart {
    Between,
    /// The name and the labels.
    Head,
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// The items of a file or a block.
    ///
    /// A block with a single attribute may be on one line.
    Body {
        place: ItemPart,
        on_one_line: bool,
    },
    Map,
    For,
    /// Any other list, the arguments of a call, an index, or parentheses.
    List,
}

/// Determines the gap before every token.
///
/// Commas between the items of a body are removed.
pub(super) fn lay_out(source: &str, tokens: &[Lexeme]) -> Vec<SpacedLexeme> {
    let mut layout = Layout {
        source,
        tokens,
        placed: Vec::with_capacity(tokens.len()),
        frames: vec![Frame::Body { place: ItemPart::Between, on_one_line: false }],
        only_comments: true,
        ..Layout::default()
    };
    for index in 0..tokens.len() {
        layout.token(index);
    }
    layout.placed
}

#[derive(Default)]
struct Layout<'a> {
    source: &'a str,
    tokens: &'a [Lexeme],
    placed: Vec<SpacedLexeme>,
    frames: Vec<Frame>,
    /// The kind of the last token that is not a comment.
    significant: Option<LexemeKind>,
    /// The length of `placed` after that token.
    significant_at: usize,
    /// Whether a line has ended since that token.
    line_ended: bool,
    /// The latest run of consecutive comments, cached so that a long run is scanned once.
    comments: Range<usize>,
    /// The number of line ends before a comma that was removed.
    left_out: u8,
    only_comments: bool,
}

impl Layout<'_> {
    fn token(&mut self, index: usize) {
        let mut token = self.tokens[index];
        token.lines = token.lines.max(std::mem::take(&mut self.left_out));
        token.kind = self.meaning(index, token.kind);
        match self.frames.last().copied() {
            Some(Frame::Body { place, on_one_line }) => self.in_body(index, token, place, on_one_line),
            Some(frame) => self.in_brackets(index, token, frame),
            // Unreachable: brackets match in a source without errors.
            None => {}
        }
    }

    /// Returns the kind of a token in its context.
    fn meaning(&self, index: usize, kind: LexemeKind) -> LexemeKind {
        let operand = self.significant.is_some_and(LexemeKind::ends_operand);
        let in_head =
            matches!(self.frames.last(), Some(Frame::Body { place: ItemPart::Between | ItemPart::Head, .. }));
        match kind {
            LexemeKind::Minus if !operand => LexemeKind::Negate,
            LexemeKind::Star if matches!(self.significant, Some(LexemeKind::Dot | LexemeKind::Dotted)) => {
                LexemeKind::Splat
            }
            // Elsewhere the word is the name of a variable.
            LexemeKind::Name
                if (operand || self.significant == Some(LexemeKind::Ellipsis)) && self.is_keyword(index) =>
            {
                LexemeKind::Keyword
            }
            LexemeKind::Name if !in_head && self.tokens[index].text(self.source).ends_with('.') => {
                LexemeKind::Dotted
            }
            kind => kind,
        }
    }

    fn is_keyword(&self, index: usize) -> bool {
        self.frames.last() == Some(&Frame::For) && self.is(index, &["in", "if"])
    }

    fn is(&self, index: usize, words: &[&str]) -> bool {
        words.contains(&self.tokens[index].text(self.source))
    }

    /// Returns the index of the first token from `at` that is not a comment.
    fn following(&mut self, index: usize) -> usize {
        if !self.comments.contains(&index) {
            let comments = self.tokens[index..].iter().take_while(|token| token.kind.is_comment());
            self.comments = index..index + comments.count();
        }
        self.comments.end
    }

    fn following_kind(&mut self, index: usize) -> LexemeKind {
        let next_index = self.following(index);
        self.tokens.get(next_index).map_or(LexemeKind::End, |token| token.kind)
    }

    fn in_body(&mut self, index: usize, token: Lexeme, place: ItemPart, on_one_line: bool) {
        let set = |layout: &mut Self, place| {
            if let Some(frame @ Frame::Body { .. }) = layout.frames.last_mut() {
                *frame = Frame::Body { place, on_one_line };
            }
        };
        let is_between = match place {
            ItemPart::Between => true,
            ItemPart::Head => false,
            ItemPart::Value => {
                let next = self.following_kind(index);
                let item_begins = matches!(next, LexemeKind::Name | LexemeKind::Quoted)
                    && self.significant.is_some_and(LexemeKind::ends_operand);
                item_begins || matches!(next, LexemeKind::Comma | LexemeKind::Close(_) | LexemeKind::End)
            }
        };
        match token.kind {
            LexemeKind::End => {}
            LexemeKind::Comma => {
                self.left_out = token.lines;
                set(self, ItemPart::Between);
            }
            LexemeKind::Close(_) => {
                self.frames.pop();
                let empty = self.placed.last().is_some_and(|last| matches!(last.kind(), LexemeKind::Open(_)));
                let gap = match token.lines {
                    _ if on_one_line => Gap::Space,
                    0 if empty => Gap::None,
                    _ => Gap::Line,
                };
                self.put(token, gap);
            }
            kind if is_between && kind.is_comment() => {
                let gap = if token.lines == 0 { self.within_line(&token) } else { self.line(&token) };
                self.put(token, gap);
            }
            _ if is_between => {
                set(self, ItemPart::Head);
                // A comment before an item on the same line stays there.
                let joined = token.lines == 0 && self.only_comments && !self.line_must_end();
                let gap = if on_one_line || joined { Gap::Space } else { self.line(&token) };
                self.put(token, gap);
            }
            LexemeKind::Open(_) if place == ItemPart::Head => {
                let gap = self.inside_item(&token, place);
                // The state after the block is set now, before the block's own frame is pushed.
                set(self, ItemPart::Between);
                let on_one_line = self.fits_on_one_line(index);
                self.put(token, gap);
                self.frames.push(Frame::Body { place: ItemPart::Between, on_one_line });
            }
            kind => {
                let gap = self.inside_item(&token, place);
                self.put(token, gap);
                match kind {
                    LexemeKind::Assign => set(self, ItemPart::Value),
                    LexemeKind::Open(bracket) => self.open(index, bracket),
                    _ => {}
                }
            }
        }
    }

    /// Returns the gap between tokens of an item.
    ///
    /// Lines end only where they must.
    fn inside_item(&self, token: &Lexeme, place: ItemPart) -> Gap {
        match place {
            _ if self.line_must_end() => Gap::Wrap,
            ItemPart::Value => self.within_line(token),
            // The dots of `a...b` are part of the name here.
            ItemPart::Head if self.touches_dots(token) => Gap::None,
            ItemPart::Between | ItemPart::Head => Gap::Space,
        }
    }

    fn touches_dots(&self, token: &Lexeme) -> bool {
        self.placed.last().is_some_and(|last| {
            last.token.end() == token.start() && [last.kind(), token.kind].contains(&LexemeKind::Ellipsis)
        })
    }

    fn in_brackets(&mut self, index: usize, token: Lexeme, frame: Frame) {
        if matches!(token.kind, LexemeKind::Close(_)) {
            self.frames.pop();
        }
        let key = frame == Frame::Map
            && matches!(token.kind, LexemeKind::Name | LexemeKind::Quoted)
            && self.significant.is_some_and(LexemeKind::ends_operand);
        // A value, and the brace of a map in block form, stay on the line of their name.
        let joined = self.significant == Some(LexemeKind::Assign)
            || token.kind == LexemeKind::Assign
            || frame == Frame::Map
                && token.kind == LexemeKind::Open(Bracket::Brace)
                && matches!(self.significant, Some(LexemeKind::Name | LexemeKind::Quoted));
        let gap = if self.line_must_end() || token.lines > 0 && !joined {
            self.line(&token)
        } else {
            self.within_line(&token)
        };
        if key && !gap.is_line() && !self.line_ended && self.begins_entry(index) {
            self.add_comma();
        }
        self.put(token, gap);
        if let LexemeKind::Open(bracket) = token.kind {
            self.open(index, bracket);
        }
    }

    /// Whether `=` or `{` follows the name.
    fn begins_entry(&mut self, index: usize) -> bool {
        matches!(self.following_kind(index + 1), LexemeKind::Assign | LexemeKind::Open(Bracket::Brace))
    }

    /// Adds a comma between two entries on one line.
    fn add_comma(&mut self) {
        let Some(before) = self.significant_at.checked_sub(1) else { return };
        let token = self.placed[before].token;
        self.placed.insert(self.significant_at, SpacedLexeme { token, gap: Gap::None, added_comma: true });
    }

    fn open(&mut self, index: usize, bracket: Bracket) {
        let first = self.following(index + 1);
        let is_for = self.is(first, &["for"]) && self.following_kind(first + 1) == LexemeKind::Name;
        self.frames.push(match bracket {
            Bracket::Square | Bracket::Brace if is_for => Frame::For,
            Bracket::Brace => Frame::Map,
            Bracket::Square | Bracket::Round => Frame::List,
        });
    }

    fn put(&mut self, token: Lexeme, gap: Gap) {
        let gap = if self.placed.is_empty() { Gap::None } else { gap };
        let comment = token.kind.is_comment();
        self.only_comments = comment && (gap.is_line() || self.only_comments);
        self.placed.push(SpacedLexeme { token, gap, added_comma: false });
        if comment {
            self.line_ended |= gap.is_line();
        } else {
            self.significant = Some(token.kind);
            self.significant_at = self.placed.len();
            self.line_ended = false;
        }
    }

    /// Whether the last token must be followed by a line end.
    fn line_must_end(&self) -> bool {
        let last = self.placed.last().map(SpacedLexeme::kind);
        matches!(last, Some(LexemeKind::LineComment | LexemeKind::Heredoc))
    }

    /// Returns a line end, with an empty line if the source has one.
    ///
    /// An empty line after an opening bracket or before a closing one is removed.
    fn line(&self, token: &Lexeme) -> Gap {
        let opened = matches!(self.significant, Some(LexemeKind::Open(_))) && !self.line_ended;
        let closes = matches!(token.kind, LexemeKind::Close(_));
        if token.lines > 1 && !opened && !closes { Gap::Blank } else { Gap::Line }
    }

    fn within_line(&self, token: &Lexeme) -> Gap {
        let Some(last) = self.placed.last() else { return Gap::None };
        let apart = token.start() > last.token.end();
        if space(last.kind(), token.kind, apart) { Gap::Space } else { Gap::None }
    }

    /// Whether the block that opens at `at` is a single attribute on one line.
    fn fits_on_one_line(&self, index: usize) -> bool {
        let mut depth = 0usize;
        let mut before = LexemeKind::Open(Bracket::Brace);
        for (number, token) in self.tokens[index + 1..].iter().enumerate() {
            let ends_line = token.lines > 0 && (number == 0 || depth > 0);
            if token.tall || token.kind.is_comment() || ends_line {
                return false;
            }
            match token.kind {
                LexemeKind::Close(_) if depth == 0 => return number > 0 && token.lines == 0,
                LexemeKind::Name | LexemeKind::Quoted if number == 0 => {}
                LexemeKind::Assign if number == 1 => {}
                // The block has another item, a label or no name.
                _ if number < 2 => return false,
                LexemeKind::Name | LexemeKind::Quoted
                    if depth == 0 && (before.ends_operand() || before == LexemeKind::Comma) =>
                {
                    return false;
                }
                LexemeKind::Open(_) => depth += 1,
                LexemeKind::Close(_) => depth -= 1,
                _ => {}
            }
            before = token.kind;
        }
        false
    }
}
