//! Operands: literals, names, calls, parentheses, and the steps after them.

use std::ops::Range;

use super::{Bad, Lines, Parser, Tree, narrow};
use crate::syntax::error::{SyntaxErrorKind as Kind, shorten};
use crate::syntax::lexer::TokenKind;
use crate::syntax::mask::MAX_ERRORS;
use crate::syntax::tree::{Expression, ExpressionKind, Name, Native, Step};
use crate::syntax::{literal, number};

impl Parser<'_, '_> {
    /// An operand with the steps after it.
    pub(super) fn operand(&mut self) -> Result<Tree, Bad> {
        let mut tree = self.primary()?;
        loop {
            let rest = self.cursor.rest();
            tree = match rest.as_bytes() {
                // What spreads the last argument of a call.
                [b'.', b'.', b'.', ..] => return Ok(tree),
                [b'.', ..] => self.after_dot(tree)?,
                [b'[', ..] => self.after_bracket(tree)?,
                [b'(', ..] => {
                    let at = self.cursor.ahead(1);
                    return self.fail(at, Kind::NotAFunction);
                }
                _ => return Ok(tree),
            };
        }
    }

    fn primary(&mut self) -> Result<Tree, Bad> {
        let rest = self.cursor.rest();
        match rest.as_bytes() {
            [b'"' | b'0'..=b'9' | b'-', ..] | [b'<', b'<', ..] => self.literal(),
            [b'(', ..] => self.parentheses(),
            [b'[', ..] => self.list(),
            [b'{', ..] => self.map(),
            _ => match self.cursor.name() {
                Some((name, at)) => self.named(name, at),
                None => self.no_operand(),
            },
        }
    }

    /// A string, a heredoc or a number.
    pub(super) fn literal(&mut self) -> Result<Tree, Bad> {
        let known = self.cursor.errors().len();
        let (token, raw) = self.cursor.literal();
        let errors = self.cursor.errors();
        if errors.len() > MAX_ERRORS || errors[known..].iter().any(|error| error.kind.hides_what_follows()) {
            return Err(Bad);
        }
        let kind = match token.kind {
            TokenKind::Number => number::parse(raw).unwrap_or_else(|kind| {
                self.cursor.error(token.range.clone(), kind);
                ExpressionKind::Bool(false)
            }),
            _ => ExpressionKind::String(literal::decode(raw)),
        };
        Ok(Tree::leaf(kind, token.range))
    }

    /// A word with a meaning, a call, or a name.
    fn named(&mut self, name: &str, at: Range<usize>) -> Result<Tree, Bad> {
        if self.cursor.rest().starts_with('(') {
            return self.call(Name { text: name.into(), range: narrow(&at) }, at);
        }
        let kind = match name {
            "true" => ExpressionKind::Bool(true),
            "false" => ExpressionKind::Bool(false),
            "null" => ExpressionKind::Native(Box::new(Native::Null)),
            _ => ExpressionKind::Native(Box::new(Native::Name(name.into()))),
        };
        Ok(Tree::leaf(kind, at))
    }

    pub(super) fn parentheses(&mut self) -> Result<Tree, Bad> {
        let (inner, outer) = self.bracketed("(", ')', |parser, open| {
            parser.still_open(&open, ')')?;
            let inner = parser.expression()?;
            let close = parser.close(&open, ')', "an operator or `)`")?;
            Ok((inner, open.start..close.end))
        })?;
        // In the tree there are none; strings keep their own range.
        Ok(Tree { outer, ..inner })
    }

    fn call(&mut self, function: Name, at: Range<usize>) -> Result<Tree, Bad> {
        let mut below = 0;
        let mut spread = None;
        let (arguments, end) = self.bracketed("(", ')', |parser, open| {
            let mut arguments = Vec::new();
            loop {
                if let Some(close) = parser.cursor.eat(")") {
                    return Ok((arguments, close.end));
                }
                parser.still_open(&open, ')')?;
                let argument = parser.expression()?;
                below = below.max(argument.height);
                arguments.push(argument.expression);
                spread = parser.cursor.eat("...");
                let expected = if spread.is_some() { "`)`" } else { "`,` or `)`" };
                if spread.is_some() || parser.cursor.eat(",").is_none() {
                    let close = parser.close(&open, ')', expected)?;
                    return Ok((arguments, close.end));
                }
            }
        })?;
        let spread = spread.map(|at| narrow(&at));
        self.native(Native::Call { function, arguments, spread }, at.start..end, below)
    }

    /// Runs `inside` after the bracket that is ahead, where line ends are space.
    pub(super) fn bracketed<T>(
        &mut self,
        open: &str,
        close: char,
        inside: impl FnOnce(&mut Self, Range<usize>) -> Result<T, Bad>,
    ) -> Result<T, Bad> {
        let Some(at) = self.cursor.eat(open) else { return self.no_operand() };
        self.open.push(close);
        let lines = self.cursor.set_lines(Lines::Free);
        let result = self.nested(|parser| inside(parser, at))?;
        self.cursor.set_lines(lines);
        self.open.pop();
        Ok(result)
    }

    /// The closing bracket.
    pub(super) fn close(
        &mut self,
        open: &Range<usize>,
        close: char,
        expected: &'static str,
    ) -> Result<Range<usize>, Bad> {
        let mut symbol = [0; 4];
        if let Some(at) = self.cursor.eat(close.encode_utf8(&mut symbol)) {
            return Ok(at);
        }
        self.still_open(open, close)?;
        self.unexpected(expected)
    }

    /// An error if the bracket is not closed and cannot be closed after this place.
    pub(super) fn still_open(&mut self, open: &Range<usize>, close: char) -> Result<(), Bad> {
        let rest = self.cursor.rest_of_file();
        let ends = rest.is_empty()
            || rest.starts_with(['}', ']', ')']) && !rest.starts_with(close)
            || self.cursor.item_ahead();
        if !ends {
            return Ok(());
        }
        self.open.pop();
        let at = self.cursor.ahead(0);
        if self.cursor.swallowed() && self.cursor.rest_of_file().is_empty() {
            return Err(Bad);
        }
        self.fail(at, Kind::Unclosed { close, open: open.clone() })
    }

    /// Nothing is ahead that can be an operand.
    pub(super) fn no_operand<T>(&mut self) -> Result<T, Bad> {
        let last = self.cursor.last();
        let rest = self.cursor.rest();
        let item_ahead = self.cursor.item_ahead();
        if item_ahead || rest.is_empty() || rest.starts_with(['}', ']', ')', ',', ':', '=', '?']) {
            let after = self.cursor.slice(&last);
            if after == "=" {
                return self.fail(last, Kind::MissingValue);
            }
            let next = self.cursor.rest_of_file();
            let in_next_line =
                rest.is_empty() && !item_ahead && !next.is_empty() && !next.starts_with(['}', ']', ')']);
            return self.fail(last, Kind::MissingOperand { after, in_next_line });
        }
        let found = rest.chars().next().unwrap_or(' ');
        let at = self.cursor.ahead(found.len_utf8());
        match found {
            '\'' | '`' | '“' | '”' | '‘' | '’' => self.fail(at, Kind::Quotes),
            '$' if rest.starts_with("${") => self.fail(at, Kind::BareInterpolation),
            _ if found.is_ascii_punctuation() => self.unexpected("a value"),
            _ => self.fail(at, Kind::UnexpectedCharacter(found)),
        }
    }

    /// `.name`, `.0` or `.*`.
    fn after_dot(&mut self, base: Tree) -> Result<Tree, Bad> {
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

    /// `[index]` or `[*]`.
    fn after_bracket(&mut self, base: Tree) -> Result<Tree, Bad> {
        if let Some((index, below)) = self.index()? {
            return self.step(base, Step::Index(index), below);
        }
        let mut steps = Vec::new();
        let mut below = 0;
        loop {
            if self.cursor.rest().starts_with('[') {
                match self.index()? {
                    Some((index, height)) => {
                        below = below.max(height);
                        steps.push(Step::Index(index));
                    }
                    None => steps.push(Step::Splat),
                }
            } else if self.dot_ahead()
                && let Some(dot) = self.cursor.eat(".")
            {
                steps.push(self.step_after_dot(&dot)?);
            } else {
                return self.splat(base, steps, below);
            }
        }
    }

    /// `[index]` with the height of the index, or nothing for `[*]`.
    fn index(&mut self) -> Result<Option<(Expression, usize)>, Bad> {
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

    /// Whether a dot is ahead that is not that of `...`.
    fn dot_ahead(&mut self) -> bool {
        let rest = self.cursor.rest();
        rest.starts_with('.') && !rest.starts_with("...")
    }

    /// The name, the digits or the `*` after a dot.
    fn step_after_dot(&mut self, dot: &Range<usize>) -> Result<Step, Bad> {
        if let Some((name, at)) = self.cursor.name() {
            return Ok(Step::Attribute(Name { text: name.into(), range: narrow(&at) }));
        }
        if let Some((digits, at)) = self.cursor.digits() {
            let Ok(value) = digits.parse() else {
                return self.fail(at, Kind::NumberRange(shorten(digits)));
            };
            let kind = ExpressionKind::Int { value, base: 10 };
            return Ok(Step::Index(Expression { kind, range: narrow(&at) }));
        }
        if self.cursor.eat("*").is_some() {
            return Ok(Step::Splat);
        }
        self.fail(dot.clone(), Kind::MissingName)
    }

    fn step(&mut self, base: Tree, step: Step, height: usize) -> Result<Tree, Bad> {
        let outer = base.outer.start..self.cursor.at();
        let below = base.height.max(height);
        let base = base.expression;
        let native = match step {
            Step::Attribute(name) => Native::Attribute { base, name },
            Step::Index(index) => Native::Index { base, index },
            Step::Splat => Native::Splat { base, steps: Vec::new() },
        };
        self.native(native, outer, below)
    }

    fn splat(&mut self, base: Tree, steps: Vec<Step>, height: usize) -> Result<Tree, Bad> {
        let outer = base.outer.start..self.cursor.at();
        // Each splat in the splat is a level of its own, as lists of lists come of it.
        let levels = steps.iter().filter(|step| matches!(step, Step::Splat)).count();
        let below = base.height.max(height) + levels;
        self.native(Native::Splat { base: base.expression, steps }, outer, below)
    }
}
