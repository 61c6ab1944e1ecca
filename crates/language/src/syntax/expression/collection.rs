//! The parser of lists, maps and `for` expressions.

use std::ops::Range;

use super::cursor::{Newlines, begins_for};
use super::parser::{ErrorReported, ParsedNode, Parser};
use crate::syntax::error::{SyntaxErrorKind, shorten};
use crate::syntax::names::Names;
use crate::syntax::tree::{Computed, Expression, ExpressionKind, For, Name};

enum Key {
    Name(Name),
    /// A number, or an expression in parentheses.
    Computed(Expression),
}

/// The entries of a map, before the parser knows whether its keys are constant.
type Entries = Vec<(Key, Expression)>;

impl Parser<'_, '_> {
    pub(super) fn list(&mut self) -> Result<ParsedNode, ErrorReported> {
        if self.for_ahead() {
            return self.for_expression(false);
        }
        let mut inner_height = 0;
        let (items, outer) = self.bracketed("[", ']', |parser, open| {
            let mut items = Vec::new();
            loop {
                if let Some(close) = parser.cursor.eat("]") {
                    return Ok((items, open.start..close.end));
                }
                parser.still_open(&open, ']')?;
                let item = parser.expression()?;
                inner_height = inner_height.max(item.height);
                items.push(item.expression);
                if parser.cursor.eat(",").is_none() {
                    let close = parser.close(&open, ']', "`,` or `]`")?;
                    return Ok((items, open.start..close.end));
                }
            }
        })?;
        self.node(ExpressionKind::List(items), outer, inner_height)
    }

    fn for_ahead(&mut self) -> bool {
        self.cursor.rest().get(1..).is_some_and(begins_for)
    }

    pub(super) fn map(&mut self) -> Result<ParsedNode, ErrorReported> {
        if self.for_ahead() {
            return self.for_expression(true);
        }
        let (entries, inner_height, outer) = self.bracketed("{", '}', Self::entries)?;
        let computed = entries.iter().any(|(key, _)| matches!(key, Key::Computed(_)));
        if computed {
            let entries = entries.into_iter().map(|(key, value)| (key.into_expression(), value)).collect();
            return self.computed(Computed::Map(entries), outer, inner_height);
        }
        let entries = entries
            .into_iter()
            .filter_map(|(key, value)| match key {
                Key::Name(name) => Some((name, value)),
                Key::Computed(_) => None,
            })
            .collect();
        self.node(ExpressionKind::Map(entries), outer, inner_height)
    }

    /// Parses the entries up to the closing brace.
    ///
    /// Returns them with their height and the range of the map.
    fn entries(&mut self, open: Range<usize>) -> Result<(Entries, usize, Range<usize>), ErrorReported> {
        let mut entries = Vec::new();
        let mut names = Names::new();
        let mut inner_height = 0;
        loop {
            if let Some(close) = self.cursor.eat("}") {
                return Ok((entries, inner_height, open.start..close.end));
            }
            let start = self.cursor.ahead(0);
            // Entries need a separator. Only a comma may touch both.
            let crowded = start.start == self.cursor.at && !entries.is_empty();
            if crowded && !self.cursor.slice(&self.cursor.last).starts_with(',') {
                return self.fail(start, SyntaxErrorKind::Crowded);
            }
            let (key, height) = self.key(&open)?;
            if let Key::Name(name) = &key {
                let range = name.range.start as usize..name.range.end as usize;
                if let Some(first) = names.insert(name.text.clone(), range.clone()) {
                    let name = shorten(&name.text);
                    self.cursor.error(range, SyntaxErrorKind::Duplicate { name, first });
                }
            }
            let arrow = self.cursor.rest().starts_with("=>") || self.cursor.rest().starts_with("==");
            if arrow || self.cursor.eat("=").or_else(|| self.cursor.eat(":")).is_none() {
                return self.unexpected("`=`");
            }
            // A value may begin on the line after its `=`, but ends with its own line.
            self.cursor.skip_line_end();
            self.cursor.set_newlines(Newlines::Terminate);
            let value = self.expression()?;
            self.cursor.set_newlines(Newlines::Ignore);
            inner_height = inner_height.max(height).max(value.height);
            entries.push((key, value.expression));
            self.cursor.eat(",");
        }
    }

    /// Parses the key of an entry.
    ///
    /// Returns it with its height.
    fn key(&mut self, open: &Range<usize>) -> Result<(Key, usize), ErrorReported> {
        let rest = self.cursor.rest();
        match rest.as_bytes() {
            [b'(', ..] => {
                let key = self.parentheses()?;
                Ok((Key::Computed(key.expression), key.height))
            }
            [b'"', ..] => {
                let key = self.literal()?;
                let range = key.expression.range.clone();
                match key.expression.kind {
                    ExpressionKind::String(text) => Ok((Key::Name(Name { text, range }), 0)),
                    kind => Ok((Key::Computed(Expression { kind, range }), 0)),
                }
            }
            [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] => Ok((Key::Computed(self.literal()?.expression), 0)),
            _ => match self.cursor.key() {
                Some((name, at)) => Ok((Key::Name(self.cursor.name_at(name, &at)), 0)),
                None => self.close(open, '}', "a name").and(Err(ErrorReported)),
            },
        }
    }

    /// Parses `[for value in list : result]` or `{for key, value in map : key => result}`.
    fn for_expression(&mut self, makes_map: bool) -> Result<ParsedNode, ErrorReported> {
        let (open, close) = if makes_map { ("{", '}') } else { ("[", ']') };
        let (parts, inner_height, outer) = self.bracketed(open, close, |parser, open| {
            let (parts, inner_height) = parser.for_parts(makes_map)?;
            let expected = if parts.condition.is_some() {
                "an operator or the closing bracket"
            } else {
                "an operator, `if` or the closing bracket"
            };
            let close = parser.close(&open, close, expected)?;
            Ok((parts, inner_height, open.start..close.end))
        })?;
        self.computed(Computed::For(parts), outer, inner_height)
    }

    fn for_parts(&mut self, makes_map: bool) -> Result<(For, usize), ErrorReported> {
        self.cursor.eat_word("for");
        let first = self.variable()?;
        let second = if self.cursor.eat(",").is_some() { Some(self.variable()?) } else { None };
        if self.cursor.eat_word("in").is_none() {
            return self.bad_for("`in`");
        }
        let collection = self.expression()?;
        if self.cursor.eat(":").is_none() {
            return self.bad_for("`:`");
        }
        let mut result = self.expression()?;
        let mut inner_height = collection.height.max(result.height);
        let mut result_key = None;
        let mut grouped = false;
        if makes_map {
            if self.cursor.eat("=>").is_none() {
                return self.bad_for("`=>`");
            }
            let key = std::mem::replace(&mut result, self.expression()?);
            inner_height = inner_height.max(result.height);
            result_key = Some(key.expression);
            grouped = self.cursor.eat("...").is_some();
        } else if self.cursor.rest().starts_with("=>") {
            let range = self.cursor.ahead(2);
            return self.fail(range, SyntaxErrorKind::ArrowInList);
        }
        let condition = if self.cursor.eat_word("if").is_some() {
            let condition = self.expression()?;
            inner_height = inner_height.max(condition.height);
            Some(condition.expression)
        } else {
            None
        };
        let (key, value) = match second {
            Some(second) => (Some(first), second),
            None => (None, first),
        };
        let (collection, result) = (collection.expression, result.expression);
        Ok((For { key, value, over: collection, result_key, result, grouped, condition }, inner_height))
    }

    fn variable(&mut self) -> Result<Name, ErrorReported> {
        match self.cursor.name() {
            Some((name, at)) => Ok(self.cursor.name_at(name, &at)),
            None => self.bad_for("the name of a variable"),
        }
    }

    fn bad_for<T>(&mut self, expected: &'static str) -> Result<T, ErrorReported> {
        let (range, actual) = self.cursor.found();
        self.fail(range, SyntaxErrorKind::BadFor { expected, found: actual })
    }
}

impl Key {
    fn into_expression(self) -> Expression {
        match self {
            Self::Name(Name { text, range }) => Expression { kind: ExpressionKind::String(text), range },
            Self::Computed(key) => key,
        }
    }
}
