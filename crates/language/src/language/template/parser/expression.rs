//! Parsing of pipelines, commands and operands.

use crate::diagnostic::close_names;
use crate::types::local_path::local_path;

use super::super::lexer::{Keyword, Token, TokenKind};
use super::super::literal;
use super::super::references::{LazyText, Reference, ReferenceTarget};
use super::super::tree::{Bind, Call, Chain, Expr, ExprKind, Field, Slot};
use super::cursor::{MAX_NESTING, ParseResult, Parser};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::functions::foreign_functions::in_template;
use crate::language::functions::{self, Function, FunctionRef, NameUse, PipePlace};

/// A function that can still take arguments, or a value.
enum PipelineOperand {
    Call(Callee),
    Value(Expr),
}

/// A function with the arguments read so far.
struct Callee {
    function: FunctionRef,
    name: Token,
    /// The end of the last argument.
    end: u32,
    args: Vec<Expr>,
}

/// Functions that may be written with a dot: `param.NAME` means ``param `NAME` ``, as in expressions.
///
/// Go rejects `param.NAME`, so this form takes no meaning away.
const ROOTS: [&str; 3] = ["param", "local", "env"];

impl Callee {
    /// Returns whether a name after a dot is the argument of the function.
    fn is_root(&self) -> bool {
        self.args.is_empty() && ROOTS.contains(&self.function.name)
    }
}

/// The name of `range` in error messages; only `range` takes two variables.
const RANGE: &str = "`range`";

/// The variables before `:=` or `=`.
struct AssignmentTargets {
    tokens: Vec<Token>,
    declares: bool,
}

impl Parser<'_> {
    /// Parses a pipeline including the closing token `end`.
    pub(super) fn pipeline(&mut self, context: &'static str, end: TokenKind) -> ParseResult<Expr> {
        let Some(targets) = self.targets(context)? else { return self.stages(context, end) };
        let start = self.last_token().start;
        let value = self.stages(context, end)?;
        let (target, rest) = (targets.tokens.first().copied(), targets.tokens.get(1).copied());
        if let Some(extra) = rest {
            return Self::too_many_variables(extra, context);
        }
        let Some(target) = target else { return Ok(value) };
        let slot = if targets.declares { self.declare(target, context)? } else { self.variable(target)? };
        let (start, end) = (target.start.min(start), value.end);
        Ok(Expr { start, end, kind: ExprKind::Bind(Box::new(Bind { slot, value })) })
    }

    /// Parses the pipeline of `range`, with the variables that each iteration sets.
    pub(super) fn range_pipeline(&mut self) -> ParseResult<(Vec<Slot>, Expr)> {
        let targets = self.targets(RANGE)?;
        let collection = self.stages(RANGE, TokenKind::Close)?;
        let mut slots = Vec::new();
        if let Some(AssignmentTargets { tokens, declares }) = targets {
            for token in tokens {
                slots.push(if declares { self.declare(token, RANGE)? } else { self.variable(token)? });
            }
        }
        Ok((slots, collection))
    }

    /// Parses `$x :=`, `$x =` and, in `range`, `$i, $x :=`; reads nothing if there are none.
    fn targets(&mut self, context: &'static str) -> ParseResult<Option<AssignmentTargets>> {
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
                    return Ok(Some(AssignmentTargets { tokens, declares }));
                }
                TokenKind::Char if self.text_of(next) == "," => {
                    self.next();
                    if context != RANGE || tokens.len() > 1 {
                        return Self::too_many_variables(next, context);
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

    fn stages(&mut self, context: &'static str, end: TokenKind) -> ParseResult<Expr> {
        let mut value: Option<Expr> = None;
        let mut stage = 0;
        loop {
            let token = self.peek_word();
            match token.kind {
                kind if kind == end => {
                    self.next();
                    let missing =
                        || Self::error(token, Kind::invalid(format!("a value is missing in {context}")));
                    return value.map_or_else(missing, Ok);
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
            value = Some(self.finish(command, value)?);
        }
    }

    /// Completes an operand that takes no further arguments except a piped one.
    fn finish(&mut self, operand: PipelineOperand, piped: Option<Expr>) -> ParseResult<Expr> {
        match operand {
            PipelineOperand::Call(callee) => self.call(callee, piped),
            PipelineOperand::Value(value) if piped.is_none() => Ok(value),
            PipelineOperand::Value(value) => Err(not_a_function(&value)),
        }
    }

    /// Parses operands up to the end of a command, and a `|` after it.
    fn command(&mut self) -> ParseResult<PipelineOperand> {
        let first = self.peek_word();
        let mut command = self.operand()?;
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
            let operand = self.operand()?;
            let operand = self.finish(operand, None)?;
            match &mut command {
                PipelineOperand::Call(callee) => {
                    // The range includes the parentheses around the operand, which the operand's own range
                    // leaves out.
                    callee.end = self.last_token().end;
                    callee.args.push(operand);
                }
                PipelineOperand::Value(value) => {
                    return Err(not_a_function(value));
                }
            }
        }
        match command {
            PipelineOperand::Value(Expr { kind: ExprKind::Nil, .. }) => {
                Self::error(first, Kind::invalid("`nil` is not a value on its own"))
            }
            command => Ok(command),
        }
    }

    /// Builds a checked call, and records the reference that it makes.
    fn call(&mut self, callee: Callee, piped: Option<Expr>) -> ParseResult<Expr> {
        let Callee { function, name, end, mut args } = callee;
        let mut place = None;
        if let Some(value) = piped {
            let index = if function.pipe == PipePlace::First { 0 } else { args.len() };
            place = u32::try_from(index).ok();
            args.insert(index, value);
        }
        if let Err(error) = function.check_count(args.len()) {
            return Self::error(name, error.into());
        }
        self.references.extend(reference_of(function.names, name.start..name.end, &args));
        let call = Call { function, name_end: name.end, piped: place, args: args.into() };
        Ok(Expr { start: name.start, end, kind: ExprKind::Call(Box::new(call)) })
    }

    /// Parses a term and the fields after it.
    fn operand(&mut self) -> ParseResult<PipelineOperand> {
        let mut term = self.term()?;
        if self.peek().kind != TokenKind::Field {
            return Ok(term);
        }
        if let PipelineOperand::Call(callee) = &mut term
            && callee.is_root()
        {
            let token = self.next();
            let name = self.field(token).name;
            // The name becomes an argument, as if it were quoted.
            callee.args.push(Expr {
                start: token.start + 1,
                end: token.end,
                kind: ExprKind::Text(name.into()),
            });
            callee.end = token.end;
        }
        let base = self.finish(term, None)?;
        if self.peek().kind != TokenKind::Field {
            return Ok(PipelineOperand::Value(base));
        }
        if !matches!(
            base.kind,
            ExprKind::Variable(_) | ExprKind::Chain(_) | ExprKind::Call(_) | ExprKind::Bind(_)
        ) && self.last_token().kind != TokenKind::CloseParen
        {
            return Self::error(self.peek(), Kind::invalid("a literal has no fields"));
        }
        let mut fields = Vec::new();
        while self.peek().kind == TokenKind::Field {
            let token = self.next();
            fields.push(self.field(token));
        }
        if let (ExprKind::Call(call), Some(first)) = (&base.kind, fields.first()) {
            Self::check_record_field(&call.function, first)?;
        }
        Ok(PipelineOperand::Value(chain(base, fields)))
    }

    /// Checks that the record of a function has a field; the fields are known even if the value is not.
    fn check_record_field(function: &Function, field: &Field) -> ParseResult<()> {
        let Some(record) = &function.record else { return Ok(()) };
        if record.fields.iter().chain(record.spellings).any(|name| **name == *field.name) {
            return Ok(());
        }
        let close = close_names(&field.name, record.fields.iter().copied());
        let kind = Kind::NoField { field: field.name.to_string(), kind: function.name, close };
        Err(LanguageError { kind, range: field.start..field.end })
    }

    /// Parses a dotted path of a resource's export, as in expressions: `task.query.q.status`.
    ///
    /// Go rejects this form, because no function is followed by a dot.
    fn traversal(&mut self, first: Token) -> Option<Callee> {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let fields = rest.iter().take_while(|token| token.kind == TokenKind::Field).count();
        // A resource type is followed by at least a name, and the name by an export.
        let last = fields.checked_sub(1).filter(|index| *index > 0).and_then(|at| rest.get(at)).copied()?;
        let name = self.text_of(first);
        if let Some(function) = functions::known(name, self.standard(), self.own)
            && (function.least == 0 || function.record.is_some() || ROOTS.contains(&function.name))
        {
            return None;
        }
        let lookup = self.standard().find(|function| function.names == NameUse::Lookup)?;
        let path = rest.iter().take(fields).fold(name.to_owned(), |path, field| path + self.text_of(*field));
        self.at += fields;
        let path = Expr { start: first.start, end: last.end, kind: ExprKind::Text(path.into()) };
        let function = FunctionRef::Standard(lookup);
        Some(Callee { function, name: first, end: last.end, args: vec![path] })
    }

    fn field(&self, token: Token) -> Field {
        let name = self.text_of(token).trim_start_matches('.').into();
        Field { start: token.start, end: token.end, name }
    }

    fn term(&mut self) -> ParseResult<PipelineOperand> {
        let token = self.next_word();
        let text = self.text_of(token);
        let placed = |kind| LanguageError { kind, range: token.start..token.end };
        let kind = match token.kind {
            TokenKind::Identifier => {
                if let Some(lookup) = self.traversal(token) {
                    return Ok(PipelineOperand::Call(lookup));
                }
                let function = self.function(token)?;
                return Ok(PipelineOperand::Call(Callee {
                    function,
                    name: token,
                    end: token.end,
                    args: Vec::with_capacity(1),
                }));
            }
            TokenKind::Dot => ExprKind::Dot,
            TokenKind::Keyword(Keyword::Nil) => ExprKind::Nil,
            TokenKind::Keyword(Keyword::True) => ExprKind::Bool(true),
            TokenKind::Keyword(Keyword::False) => ExprKind::Bool(false),
            TokenKind::Variable => ExprKind::Variable(self.variable(token)?),
            TokenKind::Field => {
                let dot = Expr { start: token.start, end: token.start + 1, kind: ExprKind::Dot };
                return Ok(PipelineOperand::Value(chain(dot, vec![self.field(token)])));
            }
            TokenKind::Number => literal::number(text).map_err(placed)?,
            TokenKind::Single => literal::single(text).map_err(placed)?,
            TokenKind::Quoted => ExprKind::Text(literal::unquote(text, '"').map_err(placed)?.into()),
            // Carriage returns are dropped as in Go, so that Windows line ends give the same text.
            TokenKind::Raw => ExprKind::Text(text.trim_matches('`').replace('\r', "").into()),
            TokenKind::OpenParen => {
                let inner = |parser: &mut Self| parser.pipeline("the parentheses", TokenKind::CloseParen);
                let inner = self.nested(token, inner)?;
                return Ok(PipelineOperand::Value(inner));
            }
            _ => return self.unexpected(token, "the arguments"),
        };
        Ok(PipelineOperand::Value(Expr { start: token.start, end: token.end, kind }))
    }

    /// Returns the functions of the language that templates can call.
    fn standard(&self) -> impl Iterator<Item = &'static Function> + Clone {
        self.functions.iter().copied().flatten().filter(|function| !function.is_hidden)
    }

    fn function(&self, token: Token) -> ParseResult<FunctionRef> {
        let function = functions::find(self.text_of(token), self.standard(), self.own, in_template);
        function.or_else(|error| Self::error(token, error.into()))
    }
}

fn not_a_function(value: &Expr) -> LanguageError {
    let kind = Kind::invalid("this is not a function, so it takes no arguments");
    LanguageError { kind, range: value.range() }
}

/// Adds fields to a value; fields of a chain extend the chain.
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

/// Returns the reference that a call makes, from the kind of its name and its first argument.
fn reference_of(names: NameUse, name: std::ops::Range<u32>, args: &[Expr]) -> Option<Reference> {
    let argument = args.first();
    let target = match (names, argument.map(|argument| &argument.kind)) {
        (NameUse::None, _) => return None,
        (NameUse::Each, _) => return Some(Reference { target: ReferenceTarget::Each, range: name }),
        (NameUse::Param, Some(ExprKind::Text(name))) => ReferenceTarget::Param(name.clone()),
        (NameUse::Lookup, Some(ExprKind::Text(path))) => ReferenceTarget::Lookup(path.clone()),
        (NameUse::Local, Some(ExprKind::Text(name))) => ReferenceTarget::Lookup(local_path(name).into()),
        (NameUse::Param | NameUse::Lookup | NameUse::Local, _) => ReferenceTarget::Computed,
        (NameUse::TemplateFile, _) if args.get(1).is_some_and(|arg| !matches!(arg.kind, ExprKind::Nil)) => {
            return None;
        }
        (NameUse::TemplateFile, Some(ExprKind::Text(path))) => {
            let path = path.clone();
            ReferenceTarget::TemplateFile(LazyText::new(move |_| Some(path.clone())))
        }
        (NameUse::TemplateFile, _) => ReferenceTarget::TemplateFile(LazyText::default()),
    };
    Some(Reference { target, range: argument?.range() })
}
