//! Native expressions among the values.

use std::collections::VecDeque;
use std::ops::Range;

use super::{Bad, Masker};
use crate::syntax::expression::{self, Lines, Start};
use crate::syntax::lexer::{Token, TokenKind, is_name_part};
use crate::syntax::tree::Expression;

/// The expressions of an item, in the order of the text, each with the place of its first byte.
#[derive(Debug, Default)]
pub(in crate::syntax) struct Natives(VecDeque<(usize, Expression)>);

impl Natives {
    /// The expression that begins at byte `at` of the file. They are to be taken in their order.
    pub(in crate::syntax) fn take(&mut self, at: usize) -> Option<Expression> {
        while self.0.front().is_some_and(|(start, _)| *start < at) {
            self.0.pop_front();
        }
        self.0.pop_front_if(|(start, _)| *start == at).map(|(_, expression)| expression)
    }

    /// Drops what begins at `start` or later.
    pub(super) fn forget_from(&mut self, start: usize) {
        while self.0.pop_back_if(|(at, _)| *at >= start).is_some() {}
    }
}

/// What closes the brackets that are open, innermost last.
struct Open {
    closing: Vec<char>,
    /// How many of them are braces, brackets and parentheses: there may be very many in all.
    counts: [usize; 3],
}

impl Open {
    fn new(closing: &[char]) -> Self {
        let mut open = Self { closing: Vec::new(), counts: [0; 3] };
        for close in closing {
            open.push(*close);
        }
        open
    }

    fn count(&mut self, close: char) -> &mut usize {
        &mut self.counts[Self::place(close)]
    }

    fn place(close: char) -> usize {
        match close {
            '}' => 0,
            ']' => 1,
            _ => 2,
        }
    }

    fn push(&mut self, close: char) {
        *self.count(close) += 1;
        self.closing.push(close);
    }

    fn contains(&self, close: char) -> bool {
        self.counts[Self::place(close)] > 0
    }

    fn is_empty(&self) -> bool {
        self.closing.is_empty()
    }

    /// Closes the innermost of its kind. Those inside it are not closed, and taken as if they were.
    fn close(&mut self, close: char) {
        while let Some(last) = self.closing.pop() {
            *self.count(last) -= 1;
            if last == close {
                return;
            }
        }
    }
}

impl Masker<'_> {
    /// Reads the value that begins at `at` as an expression. `after` is the token before it.
    pub(super) fn native(&mut self, at: usize, after: &Range<usize>, lines: Lines) -> Result<(), Bad> {
        let start = Start { at, after: after.clone(), lines, depth: self.depth };
        match expression::parse(&mut self.lexer, start) {
            Ok(parsed) => {
                self.lexer.rewind(parsed.end);
                self.end = parsed.end;
                self.fill(&(at..parsed.end), b'x');
                self.natives.0.push_back((at, parsed.expression));
                Ok(())
            }
            Err(broken) => {
                self.lexer.rewind(broken.at);
                self.end = broken.at;
                self.skip_value(at, &broken.open, lines);
                Err(Bad)
            }
        }
    }

    /// Whether an expression goes on after the literal, list or map that was just read.
    pub(super) fn goes_on(&mut self, lines: Lines) -> bool {
        let next = self.lexer.peek();
        if next.first_on_line && lines == Lines::End {
            return false;
        }
        match next.kind {
            TokenKind::Symbol(
                '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '?' | '.',
            ) => true,
            TokenKind::Symbol('(') => !next.first_on_line,
            // With space before it, it is what follows a forgotten comma.
            TokenKind::Symbol('[') => next.range.start == self.end,
            TokenKind::Number => !next.first_on_line && self.lexer.slice(&next.range).starts_with('-'),
            TokenKind::Name => {
                matches!(self.lexer.slice(&next.range), "and" | "or") && !self.begins_item(&next)
            }
            _ => false,
        }
    }

    /// Skips to the end of a wrong value that begins at `start`. `open` has what closes the brackets that are
    /// open where the reading stopped.
    pub(super) fn skip_value(&mut self, start: usize, open: &[char], lines: Lines) {
        let mut open = Open::new(open);
        // What was read may end with an operator.
        let read = self.lexer.slice(&(start..self.end));
        let mut operand = read.ends_with(|c| is_name_part(c) && c != '-' && c != '.' || "\"])}".contains(c));
        loop {
            let token = self.lexer.peek();
            if self.value_ends(&token, start, &open, operand, lines) {
                return;
            }
            match token.kind {
                TokenKind::Symbol('{') => open.push('}'),
                TokenKind::Symbol('[') => open.push(']'),
                TokenKind::Symbol('(') => open.push(')'),
                TokenKind::Symbol(close @ ('}' | ']' | ')')) => open.close(close),
                _ => {}
            }
            operand = !matches!(token.kind, TokenKind::Symbol(c) if !matches!(c, '}' | ']' | ')'));
            self.bump();
        }
    }

    /// Whether a wrong value ends before the token.
    fn value_ends(&self, token: &Token, start: usize, open: &Open, operand: bool, lines: Lines) -> bool {
        let in_list = lines == Lines::Free;
        match token.kind {
            TokenKind::End => true,
            _ if token.range.start == start => false,
            TokenKind::Symbol(close @ ('}' | ']' | ')')) => !open.contains(close),
            _ if self.is_block_head(token) => true,
            TokenKind::Name if token.first_on_line && !open.contains('}') => {
                self.begins_item(token) || open.is_empty() && operand && !in_list
            }
            _ if !open.is_empty() => false,
            TokenKind::Symbol(',') => true,
            TokenKind::Name | TokenKind::Quoted | TokenKind::Heredoc => operand && !in_list,
            _ => token.first_on_line && operand && !in_list,
        }
    }
}
