//! The parser of operands: literals, names, calls, parentheses and postfix steps.

use std::ops::Range;

use super::cursor::Newlines;
use super::parser::{ErrorReported, ParsedNode, Parser};
use crate::syntax::error::{SyntaxErrorKind, shorten};
use crate::syntax::lexer::TokenKind;
use crate::syntax::limits::MAX_ERRORS;
use crate::syntax::tree::{Computed, Expression, ExpressionKind, Name, SplatStep, byte_range};
use crate::syntax::{literal, number};

impl<'a> Parser<'_, 'a> {
    pub(super) fn operand(&mut self) -> Result<ParsedNode, ErrorReported> {
        let mut tree = self.primary()?;
        loop {
            let rest = self.cursor.rest();
            tree = match rest.as_bytes() {
                // The dots spread the last argument of a call.
                [b'.', b'.', b'.', ..] => return Ok(tree),
                [b'.', ..] => self.after_dot(tree)?,
                [b'[', ..] => self.after_bracket(tree)?,
                [b'(', ..] => {
                    let range = self.cursor.ahead(1);
                    return self.fail(range, SyntaxErrorKind::NotAFunction);
                }
                _ => return Ok(tree),
            };
        }
    }

    fn primary(&mut self) -> Result<ParsedNode, ErrorReported> {
        let rest = self.cursor.rest();
        match rest.as_bytes() {
            [b'"' | b'0'..=b'9' | b'-', ..] | [b'<', b'<', ..] => self.literal(),
            [b'(', ..] => self.parentheses(),
            [b'[', ..] => self.list(),
            [b'{', ..] => self.map(),
            _ => match self.cursor.name() {
                Some((name, at)) => self.keyword_call_or_name(name, at),
                None => self.no_operand(),
            },
        }
    }

    pub(super) fn literal(&mut self) -> Result<ParsedNode, ErrorReported> {
        let error_count = self.cursor.lexer.errors.len();
        let (token, raw) = self.cursor.literal();
        let errors = &self.cursor.lexer.errors;
        if errors.len() > MAX_ERRORS
            || errors[error_count..].iter().any(|error| error.kind.hides_what_follows())
        {
            return Err(ErrorReported);
        }
        let kind = match token.kind {
            TokenKind::Number => number::parse(raw).unwrap_or_else(|kind| {
                self.cursor.error(token.range.clone(), kind);
                ExpressionKind::Bool(false)
            }),
            _ => ExpressionKind::String(literal::decode(raw).into()),
        };
        Ok(ParsedNode::leaf(kind, token.range))
    }

    fn keyword_call_or_name(
        &mut self,
        name: &'a str,
        range: Range<usize>,
    ) -> Result<ParsedNode, ErrorReported> {
        if self.cursor.rest().starts_with('(') {
            let function = self.cursor.name_at(name, &range);
            return self.call(function, range);
        }
        let kind = match name {
            "true" => ExpressionKind::Bool(true),
            "false" => ExpressionKind::Bool(false),
            "null" => ExpressionKind::Computed(Box::new(Computed::Null)),
            _ => ExpressionKind::Computed(Box::new(Computed::Name(self.cursor.lexer.names.word(name)))),
        };
        Ok(ParsedNode::leaf(kind, range))
    }

    pub(super) fn parentheses(&mut self) -> Result<ParsedNode, ErrorReported> {
        let (inner, outer) = self.bracketed("(", ')', |parser, open| {
            parser.still_open(&open, ')')?;
            let inner = parser.expression()?;
            let close = parser.close(&open, ')', "an operator or `)`")?;
            Ok((inner, open.start..close.end))
        })?;
        // Parentheses are not in the tree; strings keep their own range.
        Ok(ParsedNode { outer, ..inner })
    }

    fn call(&mut self, function: Name, range: Range<usize>) -> Result<ParsedNode, ErrorReported> {
        let mut inner_height = 0;
        let mut spread = None;
        let (arguments, end) = self.bracketed("(", ')', |parser, open| {
            let mut arguments = Vec::new();
            loop {
                if let Some(close) = parser.cursor.eat(")") {
                    return Ok((arguments, close.end));
                }
                parser.still_open(&open, ')')?;
                let argument = parser.expression()?;
                inner_height = inner_height.max(argument.height);
                arguments.push(argument.expression);
                spread = parser.cursor.eat("...");
                let expected = if spread.is_some() { "`)`" } else { "`,` or `)`" };
                if spread.is_some() || parser.cursor.eat(",").is_none() {
                    let close = parser.close(&open, ')', expected)?;
                    return Ok((arguments, close.end));
                }
            }
        })?;
        let spread = spread.map(|range| byte_range(&range));
        self.computed(Computed::Call { function, arguments, spread }, range.start..end, inner_height)
    }

    /// Runs `inside` after the opening bracket, where line ends are white space.
    pub(super) fn bracketed<T>(
        &mut self,
        open: &str,
        close: char,
        inside: impl FnOnce(&mut Self, Range<usize>) -> Result<T, ErrorReported>,
    ) -> Result<T, ErrorReported> {
        let Some(range) = self.cursor.eat(open) else { return self.no_operand() };
        self.open.push(close);
        let lines = self.cursor.set_newlines(Newlines::Ignore);
        let result = self.nested(|parser| inside(parser, range))?;
        self.cursor.set_newlines(lines);
        self.open.pop();
        Ok(result)
    }

    pub(super) fn close(
        &mut self,
        open: &Range<usize>,
        close: char,
        expected: &'static str,
    ) -> Result<Range<usize>, ErrorReported> {
        let mut symbol = [0; 4];
        if let Some(range) = self.cursor.eat(close.encode_utf8(&mut symbol)) {
            return Ok(range);
        }
        self.still_open(open, close)?;
        self.unexpected(expected)
    }

    /// Returns an error if the bracket is not closed and cannot be closed after this position.
    pub(super) fn still_open(&mut self, open: &Range<usize>, close: char) -> Result<(), ErrorReported> {
        let rest = self.cursor.rest_of_file();
        let is_end = rest.is_empty()
            || rest.starts_with(['}', ']', ')']) && !rest.starts_with(close)
            || self.cursor.item_ahead();
        if !is_end {
            return Ok(());
        }
        self.open.pop();
        let range = self.cursor.ahead(0);
        if self.cursor.lexer.swallowed && self.cursor.rest_of_file().is_empty() {
            return Err(ErrorReported);
        }
        self.fail(range, SyntaxErrorKind::Unclosed { close, open: open.clone() })
    }

    pub(super) fn no_operand<T>(&mut self) -> Result<T, ErrorReported> {
        let last = self.cursor.last.clone();
        let rest = self.cursor.rest();
        let item_ahead = self.cursor.item_ahead();
        if item_ahead || rest.is_empty() || rest.starts_with(['}', ']', ')', ',', ':', '=', '?']) {
            let after = self.cursor.slice(&last);
            if after == "=" {
                return self.fail(last, SyntaxErrorKind::MissingValue);
            }
            let next = self.cursor.rest_of_file();
            let in_next_line =
                rest.is_empty() && !item_ahead && !next.is_empty() && !next.starts_with(['}', ']', ')']);
            return self.fail(last, SyntaxErrorKind::MissingOperand { after, in_next_line });
        }
        let character = rest.chars().next().unwrap_or(' ');
        let range = self.cursor.ahead(character.len_utf8());
        match character {
            '\'' | '`' | '“' | '”' | '‘' | '’' => self.fail(range, SyntaxErrorKind::Quotes),
            '$' if rest.starts_with("${") => self.fail(range, SyntaxErrorKind::BareInterpolation),
            _ if character.is_ascii_punctuation() => self.unexpected("a value"),
            _ => self.fail(range, SyntaxErrorKind::UnexpectedCharacter(character)),
        }
    }

    /// Parses `.name`, `.0` or `.*`.
    fn after_dot(&mut self, base: ParsedNode) -> Result<ParsedNode, ErrorReported> {
        let Some(dot) = self.cursor.eat(".") else { return Ok(base) };
        if self.cursor.eat("*").is_some() {
            let mut steps = Vec::new();
            while self.dot_ahead() && self.cursor.eat(".").is_some() {
                steps.push(self.step_after_dot(&dot)?);
            }
            return self.splat(base, steps, 0);
        }
        let step = self.step_after_dot(&dot)?;
        self.step(base, step, 0)
    }

    /// Parses `[index]` or `[*]`.
    fn after_bracket(&mut self, base: ParsedNode) -> Result<ParsedNode, ErrorReported> {
        if let Some((index, inner_height)) = self.index()? {
            return self.step(base, SplatStep::Index(index), inner_height);
        }
        let mut steps = Vec::new();
        let mut inner_height = 0;
        loop {
            if self.cursor.rest().starts_with('[') {
                match self.index()? {
                    Some((index, height)) => {
                        inner_height = inner_height.max(height);
                        steps.push(SplatStep::Index(index));
                    }
                    None => steps.push(SplatStep::Splat),
                }
            } else if self.dot_ahead()
                && let Some(dot) = self.cursor.eat(".")
            {
                steps.push(self.step_after_dot(&dot)?);
            } else {
                return self.splat(base, steps, inner_height);
            }
        }
    }

    /// Parses `[index]` and returns the height of the index, or `None` for `[*]`.
    fn index(&mut self) -> Result<Option<(Expression, usize)>, ErrorReported> {
        self.bracketed("[", ']', |parser, open| {
            parser.still_open(&open, ']')?;
            let index = if parser.cursor.eat("*").is_some() {
                None
            } else {
                let index = parser.expression()?;
                Some((index.expression, index.height))
            };
            parser.close(&open, ']', "an operator or `]`")?;
            Ok(index)
        })
    }

    /// Whether a dot is ahead that does not belong to `...`.
    fn dot_ahead(&mut self) -> bool {
        let rest = self.cursor.rest();
        rest.starts_with('.') && !rest.starts_with("...")
    }

    /// Parses the name, digits or `*` after a dot.
    fn step_after_dot(&mut self, dot: &Range<usize>) -> Result<SplatStep, ErrorReported> {
        if let Some((name, range)) = self.cursor.name() {
            return Ok(SplatStep::Attribute(self.cursor.name_at(name, &range)));
        }
        if let Some((digits, range)) = self.cursor.digits() {
            let Ok(value) = digits.parse() else {
                return self.fail(range, SyntaxErrorKind::NumberRange(shorten(digits)));
            };
            let kind = ExpressionKind::Int { value, base: 10 };
            return Ok(SplatStep::Index(Expression { kind, range: byte_range(&range) }));
        }
        if self.cursor.eat("*").is_some() {
            return Ok(SplatStep::Splat);
        }
        self.fail(dot.clone(), SyntaxErrorKind::MissingName)
    }

    fn step(
        &mut self,
        base: ParsedNode,
        step: SplatStep,
        height: usize,
    ) -> Result<ParsedNode, ErrorReported> {
        let outer = base.outer.start..self.cursor.at;
        let inner_height = base.height.max(height);
        let base = base.expression;
        let computed = match step {
            SplatStep::Attribute(name) => Computed::Attribute { base, name },
            SplatStep::Index(index) => Computed::Index { base, index },
            SplatStep::Splat => Computed::Splat { base, steps: Vec::new() },
        };
        self.computed(computed, outer, inner_height)
    }

    fn splat(
        &mut self,
        base: ParsedNode,
        steps: Vec<SplatStep>,
        height: usize,
    ) -> Result<ParsedNode, ErrorReported> {
        let outer = base.outer.start..self.cursor.at;
        // Each nested splat counts as a level, because it produces a list of lists.
        let levels = steps.iter().filter(|step| matches!(step, SplatStep::Splat)).count();
        let inner_height = base.height.max(height) + levels;
        self.computed(Computed::Splat { base: base.expression, steps }, outer, inner_height)
    }
}
