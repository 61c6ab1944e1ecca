//! Pipelines, commands and operands.

use crate::report::close_names;

use super::super::ast::{Bind, Call, Chain, Expr, ExprKind, Field, Slot};
use super::super::error::{TemplateError, TemplateErrorKind as Kind};
use super::super::functions::Function;
use super::super::lexer::{Keyword, Token, TokenKind};
use super::super::{literal, references};
use super::{MAX_NESTING, Parsed, Parser};

/// One command of a pipeline: a function that can still take an argument, or a value.
enum Command {
    Call { function: &'static Function, name: Token, end: u32, args: Vec<Expr> },
    Value(Expr),
}

/// An operand: the name of a function is not yet a call.
enum Operand {
    Function(&'static Function, Token),
    Value(Expr),
}

/// What `range` is called in messages; only it takes two variables.
const RANGE: &str = "`range`";

/// Variables before `:=` or `=`.
struct Targets {
    tokens: Vec<Token>,
    declares: bool,
}

impl Parser<'_> {
    /// A pipeline up to and with the token `end`.
    pub(super) fn pipeline(&mut self, context: &'static str, end: TokenKind) -> Parsed<Expr> {
        let Some(targets) = self.targets(context)? else { return self.stages(context, end) };
        let start = self.before().start;
        let value = self.stages(context, end)?;
        let (target, rest) = (targets.tokens.first().copied(), targets.tokens.get(1).copied());
        if let Some(extra) = rest {
            return Self::error(extra, Kind::TooManyVariables { context });
        }
        let Some(target) = target else { return Ok(value) };
        let slot = if targets.declares { self.declare(target, context)? } else { self.variable(target)? };
        let (start, end) = (target.start.min(start), value.end);
        Ok(Expr { start, end, kind: ExprKind::Bind(Box::new(Bind { slot, value })) })
    }

    /// The pipeline of `range`, with the variables that each round sets.
    pub(super) fn range_pipeline(&mut self) -> Parsed<(Vec<Slot>, Expr)> {
        let targets = self.targets(RANGE)?;
        let over = self.stages(RANGE, TokenKind::Close)?;
        let mut slots = Vec::new();
        if let Some(Targets { tokens, declares }) = targets {
            for token in tokens {
                slots.push(if declares { self.declare(token, RANGE)? } else { self.variable(token)? });
            }
        }
        Ok((slots, over))
    }

    /// `$x :=`, `$x =` and, in `range`, `$i, $x :=`. Reads nothing when the pipeline does not begin so.
    fn targets(&mut self, context: &'static str) -> Parsed<Option<Targets>> {
        let begin = self.at;
        let mut tokens = Vec::new();
        let mut listed = false;
        loop {
            let variable = self.peek_word();
            if variable.kind != TokenKind::Variable {
                break;
            }
            self.next();
            tokens.push(variable);
            let next = self.peek_word();
            match next.kind {
                TokenKind::Assign | TokenKind::Declare => {
                    self.next();
                    let declares = next.kind == TokenKind::Declare;
                    return Ok(Some(Targets { tokens, declares }));
                }
                TokenKind::Char if self.text_of(next) == "," => {
                    self.next();
                    if context != RANGE || tokens.len() > 1 {
                        return Self::error(next, Kind::TooManyVariables { context });
                    }
                    listed = true;
                }
                _ => break,
            }
        }
        if listed {
            let token = self.peek_word();
            return self.unexpected(token, context);
        }
        self.at = begin;
        Ok(None)
    }

    fn stages(&mut self, context: &'static str, end: TokenKind) -> Parsed<Expr> {
        let mut value: Option<Expr> = None;
        let mut stage = 0;
        loop {
            let token = self.peek_word();
            match token.kind {
                kind if kind == end => {
                    self.next();
                    return value.map_or_else(|| Self::error(token, Kind::MissingValue { context }), Ok);
                }
                TokenKind::Keyword(Keyword::Nil | Keyword::True | Keyword::False)
                | TokenKind::Quoted
                | TokenKind::Raw
                | TokenKind::Single
                | TokenKind::Number
                | TokenKind::Field
                | TokenKind::Dot
                | TokenKind::Variable
                | TokenKind::Identifier
                | TokenKind::OpenParen => {}
                _ => return self.unexpected(token, context),
            }
            stage += 1;
            if self.depth + stage > MAX_NESTING {
                return Self::error(token, Kind::TooDeep { limit: MAX_NESTING });
            }
            let command = self.command()?;
            value = Some(match (command, value) {
                (Command::Value(value), None) => value,
                (Command::Value(value), Some(_)) => {
                    return Err(TemplateError { kind: Kind::NotAFunction, range: value.range() });
                }
                (Command::Call { function, name, end, args }, piped) => {
                    self.call(function, name, end, args, piped)?
                }
            });
        }
    }

    /// Operands up to the end of a command; a `|` after it is read too.
    fn command(&mut self) -> Parsed<Command> {
        let first = self.peek_word();
        let mut command = match self.operand()? {
            Operand::Function(function, name) => {
                Command::Call { function, name, end: name.end, args: Vec::new() }
            }
            Operand::Value(value) => Command::Value(value),
        };
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::Space => {}
                TokenKind::Close | TokenKind::CloseParen => {
                    self.at -= 1;
                    break;
                }
                TokenKind::Pipe => break,
                _ => return self.unexpected(token, "the arguments"),
            }
            let next = self.peek_word();
            if matches!(next.kind, TokenKind::Close | TokenKind::CloseParen | TokenKind::Pipe) {
                continue;
            }
            let operand = match self.operand()? {
                Operand::Function(function, name) => self.call(function, name, name.end, Vec::new(), None)?,
                Operand::Value(value) => value,
            };
            match &mut command {
                Command::Call { args, end, .. } => {
                    // With the parentheses around the operand, which its own place leaves out.
                    *end = self.before().end;
                    args.push(operand);
                }
                Command::Value(value) => {
                    return Err(TemplateError { kind: Kind::NotAFunction, range: value.range() });
                }
            }
        }
        match command {
            Command::Value(Expr { kind: ExprKind::Nil, .. }) => Self::error(first, Kind::NilAlone),
            command => Ok(command),
        }
    }

    /// A call, checked, with the reference that it makes.
    fn call(
        &mut self,
        function: &'static Function,
        name: Token,
        end: u32,
        mut args: Vec<Expr>,
        piped: Option<Expr>,
    ) -> Parsed<Expr> {
        let is_piped = piped.is_some();
        args.extend(piped);
        let enough = args.len() >= usize::from(function.least);
        if !enough || function.most.is_some_and(|most| args.len() > usize::from(most)) {
            let Function { name: function, least, most, .. } = *function;
            return Self::error(name, Kind::ArgumentCount { function, least, most, given: args.len() });
        }
        self.references.extend(references::of_call(function.names, name.start..name.end, args.first()));
        let call = Call { function, name_end: name.end, piped: is_piped, args: args.into() };
        Ok(Expr { start: name.start, end, kind: ExprKind::Call(Box::new(call)) })
    }

    /// A term and the fields after it.
    fn operand(&mut self) -> Parsed<Operand> {
        let term = self.term()?;
        if self.peek().kind != TokenKind::Field {
            return Ok(term);
        }
        let base = match term {
            Operand::Function(function, name) => self.call(function, name, name.end, Vec::new(), None)?,
            Operand::Value(value) => value,
        };
        if !matches!(
            base.kind,
            ExprKind::Variable(_) | ExprKind::Chain(_) | ExprKind::Call(_) | ExprKind::Bind(_)
        ) && self.before().kind != TokenKind::CloseParen
        {
            return Self::error(self.peek(), Kind::FieldOfLiteral);
        }
        let mut fields = Vec::new();
        while self.peek().kind == TokenKind::Field {
            let token = self.next();
            fields.push(self.field(token));
        }
        if let (ExprKind::Call(call), Some(first)) = (&base.kind, fields.first()) {
            Self::record(call.function, first)?;
        }
        Ok(Operand::Value(chain(base, fields)))
    }

    /// That what a function gives has this field is known ahead of time, also where its value is not.
    fn record(function: &Function, field: &Field) -> Parsed<()> {
        if function.fields.is_empty() || function.fields.contains(&&*field.name) {
            return Ok(());
        }
        let close = close_names(&field.name, function.fields.iter().copied());
        let close = close.into_iter().map(str::to_owned).collect();
        let kind = Kind::NoField { field: field.name.to_string(), kind: function.name, close };
        Err(TemplateError { kind, range: field.start..field.end })
    }

    fn field(&self, token: Token) -> Field {
        let name = self.text_of(token).trim_start_matches('.').into();
        Field { start: token.start, end: token.end, name }
    }

    fn term(&mut self) -> Parsed<Operand> {
        let token = self.next_word();
        let text = self.text_of(token);
        let placed = |kind| TemplateError { kind, range: token.start..token.end };
        let kind = match token.kind {
            TokenKind::Identifier => return Ok(Operand::Function(self.function(token)?, token)),
            TokenKind::Dot => ExprKind::Dot,
            TokenKind::Keyword(Keyword::Nil) => ExprKind::Nil,
            TokenKind::Keyword(Keyword::True) => ExprKind::Bool(true),
            TokenKind::Keyword(Keyword::False) => ExprKind::Bool(false),
            TokenKind::Variable => ExprKind::Variable(self.variable(token)?),
            TokenKind::Field => {
                let dot = Expr { start: token.start, end: token.start + 1, kind: ExprKind::Dot };
                return Ok(Operand::Value(chain(dot, vec![self.field(token)])));
            }
            TokenKind::Number => literal::number(text).map_err(placed)?,
            TokenKind::Single => literal::single(text).map_err(placed)?,
            TokenKind::Quoted => ExprKind::Text(literal::unquote(text, '"').map_err(placed)?.into()),
            // As Go does, so that a module with Windows line ends gives the same text.
            TokenKind::Raw => ExprKind::Text(text.trim_matches('`').replace('\r', "").into()),
            TokenKind::OpenParen => {
                let inner = |parser: &mut Self| parser.pipeline("the parentheses", TokenKind::CloseParen);
                let inner = self.nested(token, inner)?;
                return Ok(Operand::Value(inner));
            }
            _ => return self.unexpected(token, "the arguments"),
        };
        Ok(Operand::Value(Expr { start: token.start, end: token.end, kind }))
    }

    fn function(&self, token: Token) -> Parsed<&'static Function> {
        let name = self.text_of(token);
        let mut all = self.functions.iter().copied().flatten();
        if let Some(function) = all.find(|function| function.name == name) {
            return Ok(function);
        }
        let names = self.functions.iter().copied().flatten().map(|function| function.name);
        let close = close_names(name, names).into_iter().map(str::to_owned).collect();
        Self::error(token, Kind::UnknownFunction { name: name.to_owned(), close })
    }
}

/// More fields of a value: fields after fields make one chain.
fn chain(base: Expr, fields: Vec<Field>) -> Expr {
    let start = base.start;
    let end = fields.last().map_or(base.end, |field| field.end);
    let (base, fields) = match base.kind {
        ExprKind::Chain(inner) => {
            let Chain { base, fields: first } = *inner;
            (base, first.into_iter().chain(fields).collect())
        }
        _ => (base, fields.into()),
    };
    Expr { start, end, kind: ExprKind::Chain(Box::new(Chain { base, fields })) }
}
