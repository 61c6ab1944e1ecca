//! Evaluation of expressions.

mod access;
mod call;
mod loops;
mod operators;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use indexmap::IndexMap;

use super::tree::{Expr, ExprKind, Expression, ScopeSymbol, Text};
use crate::language::budget::{MAX_STEPS, OutOfSteps, StepBudget};
use crate::language::convert;
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::operand::{Forced, Operand, force, marked};
use crate::language::taint::Taint;
use crate::syntax;
use crate::types::platform::Platform;
use crate::types::scope::{Each, Scope, ScopeError};
use crate::types::value::Value;

type EvalResult<'a> = Result<Operand<'a>, LanguageError>;

pub(super) struct Interpreter<'a> {
    symbols: &'a [ScopeSymbol],
    scope: &'a dyn Scope,
    /// The values of symbols that were already requested from the scope, by index.
    values: Vec<Option<Requested<'a>>>,
    /// The variables of the enclosing loops, outermost first.
    frame: Vec<Rc<Value>>,
    /// A reused buffer for the arguments of the next call.
    room: Vec<Operand<'a>>,
    budget: StepBudget<'a>,
    taint: Taint,
    /// The number of enclosing `try` and `can` calls.
    trying: usize,
}

/// The value of a symbol.
#[derive(Clone)]
enum Requested<'a> {
    /// A value that the scope keeps.
    Borrowed(&'a Value),
    /// A value that was made for this evaluation.
    Shared(Rc<Value>),
}

impl<'a> From<Requested<'a>> for Operand<'a> {
    fn from(value: Requested<'a>) -> Self {
        match value {
            Requested::Borrowed(value) => Self::Borrowed(value),
            Requested::Shared(value) => Self::Shared(value),
        }
    }
}

fn failed(range: Range<u32>, kind: impl Into<Kind>) -> LanguageError {
    LanguageError { kind: kind.into(), range }
}

impl Expression {
    /// Evaluates the expression and returns its value.
    ///
    /// The value is unknown when an unknown value decides it, and secret when a secret does. A list or a map
    /// keeps unknown and secret items as items.
    ///
    /// # Errors
    ///
    /// Fails with the kind of error and its range in the file. A message never shows a secret.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, LanguageError> {
        Interpreter::new(&self.symbols, scope, StepBudget::new(MAX_STEPS, scope.budget())).run(&self.root)
    }
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(symbols: &'a [ScopeSymbol], scope: &'a dyn Scope, budget: StepBudget<'a>) -> Self {
        let values = vec![None; symbols.len()];
        let (frame, room) = (Vec::new(), Vec::new());
        Self { symbols, scope, values, frame, room, budget, taint: Taint::default(), trying: 0 }
    }

    /// Evaluates the whole expression.
    pub(super) fn run(mut self, expr: &'a Expr) -> Result<Value, LanguageError> {
        self.owned(expr)
    }

    fn eval(&mut self, expr: &'a Expr) -> EvalResult<'a> {
        let value = self.value(expr)?;
        // The computed text differs from the secret it was made from, so it is registered for redaction. A
        // template keeps its secret verbatim.
        let is_made = matches!(expr.kind, ExprKind::Call(_) | ExprKind::Unary(_) | ExprKind::Binary(_));
        if is_made && matches!(*value, Value::Secret(_)) {
            self.scope.hide(&value);
        }
        Ok(value)
    }

    fn value(&mut self, expr: &'a Expr) -> EvalResult<'a> {
        self.budget.spend(1).map_err(|kind| failed(expr.range(), kind))?;
        match &expr.kind {
            ExprKind::Constant(value) => Ok(Operand::Borrowed(value)),
            ExprKind::Text(text) => self.text(expr, text),
            ExprKind::Variable(slot) => Ok(match self.frame.get(usize::from(*slot)) {
                Some(value) => Operand::Shared(value.clone()),
                None => Operand::Owned(Value::Null),
            }),
            ExprKind::Name(index) => self.name(expr, *index),
            ExprKind::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.owned(item)?);
                }
                Ok(Value::List(values).into())
            }
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Access(access) => self.access(access),
            ExprKind::Splat(splat) => self.splat(splat),
            ExprKind::Call(call) => self.call(expr, call),
            ExprKind::Unary(unary) => self.unary(unary),
            ExprKind::Binary(binary) => self.binary(binary),
            ExprKind::Conditional(conditional) => self.conditional(conditional),
            ExprKind::For(node) => self.for_loop(node),
        }
    }

    fn owned(&mut self, expr: &'a Expr) -> Result<Value, LanguageError> {
        let operand = self.eval(expr)?;
        operand.into_owned(&self.budget).map_err(|kind| failed(expr.range(), kind))
    }

    /// Evaluates an expression whose value decides something.
    fn forced(&mut self, expr: &'a Expr) -> Result<Forced<Operand<'a>>, LanguageError> {
        let operand = self.eval(expr)?;
        self.force(operand).map_err(|kind| failed(expr.range(), kind))
    }

    fn force(&mut self, operand: Operand<'a>) -> Result<Forced<Operand<'a>>, OutOfSteps> {
        let forced = force(operand, &self.budget)?;
        match &forced {
            Forced::Unknown(unknown) => self.taint.note_unknown(unknown),
            Forced::Known(_, secret) => self.taint.secret |= secret,
        }
        Ok(forced)
    }

    fn name(&mut self, expr: &'a Expr, index: u32) -> EvalResult<'a> {
        let index = index as usize;
        if let Some(Some(value)) = self.values.get(index) {
            return Ok(value.clone().into());
        }
        let Some(symbol) = self.symbols.get(index) else { return Ok(Value::Null.into()) };
        let value = match self.query(symbol).map_err(|kind| failed(expr.range(), kind))? {
            Cow::Borrowed(value) => Requested::Borrowed(value),
            Cow::Owned(value) => {
                self.budget.spend_value(&value).map_err(|kind| failed(expr.range(), kind))?;
                Requested::Shared(Rc::new(value))
            }
        };
        if let Some(place) = self.values.get_mut(index) {
            *place = Some(value.clone());
        }
        Ok(value.into())
    }

    fn query(&self, symbol: &ScopeSymbol) -> Result<Cow<'a, Value>, Kind> {
        let scope = self.scope;
        let each_field = |value: fn(&Each) -> Value| {
            let item_value = scope.each().map(value);
            item_value.or_else(|| scope.each_later().map(Value::Unknown)).ok_or(Kind::NoEach)
        };
        let value = match symbol {
            ScopeSymbol::Param(name) => return scope.borrow_param(name).map_err(Kind::from),
            ScopeSymbol::Traverse(path) => return scope.borrow_traversal(path).map_err(Kind::from),
            ScopeSymbol::Path(base) => scope.path(*base)?,
            ScopeSymbol::This(field) => scope.this(field)?,
            ScopeSymbol::Lookup(path) => scope.lookup(path)?,
            ScopeSymbol::EachKey => each_field(|item| Value::String(item.key.clone()))?,
            ScopeSymbol::EachValue => each_field(|item| item.value.clone())?,
            ScopeSymbol::Env(name) => match scope.machine() {
                Ok(()) => Value::from(scope.env(name)),
                Err(unknown) => Value::Unknown(unknown),
            },
            ScopeSymbol::Platform(place) => match scope.machine() {
                Ok(()) => scope.platform().value(*place),
                Err(unknown) => Value::Unknown(unknown),
            },
        };
        Ok(Cow::Owned(value))
    }

    fn text(&mut self, expr: &'a Expr, text: &'a Text) -> EvalResult<'a> {
        let (value, steps) = text.template.render_counted(None, self.scope, self.budget.left());
        self.budget.spend(steps).map_err(|kind| failed(expr.range(), kind))?;
        let value = value.map_err(|error| {
            // The template may have failed because of a secret, so the failure counts as secret.
            self.taint.secret = true;
            let range = range_in_file(expr.start, &text.raw, &error.range);
            failed(range, Kind::Template(Box::new(error.kind)))
        })?;
        self.budget.spend_text(&value).map_err(|kind| failed(expr.range(), kind))?;
        Ok(value.into())
    }

    fn map(&mut self, entries: &'a [(Expr, Expr)]) -> EvalResult<'a> {
        let mut map = IndexMap::with_capacity(entries.len());
        let mut secret = false;
        for (key, value) in entries {
            match self.key(key)? {
                Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
                Forced::Known(text, hidden) => {
                    secret |= hidden;
                    if map.contains_key(&text) {
                        let kind = Kind::DuplicateKey { key: text, grouped: false };
                        return Err(failed(key.range(), if secret { kind.hidden("map") } else { kind }));
                    }
                    let value = self.owned(value)?;
                    map.insert(text, value);
                }
            }
        }
        Ok(marked(Value::Map(map.into()), secret).into())
    }

    /// Evaluates the key of an entry, which must be convertible to text.
    fn key(&mut self, expr: &'a Expr) -> Result<Forced<String>, LanguageError> {
        match self.converted(expr, "a key", "a string", convert::text)? {
            Forced::Unknown(unknown) => Ok(Forced::Unknown(unknown)),
            Forced::Known(text, secret) => {
                self.budget.spend_bytes(text.len()).map_err(|kind| failed(expr.range(), kind))?;
                Ok(Forced::Known(text.as_ref().to_owned(), secret))
            }
        }
    }

    /// Evaluates an expression whose value decides something, and converts it for the operator.
    fn converted<T>(
        &mut self,
        expr: &'a Expr,
        place: &'static str,
        expected: &'static str,
        convert: fn(&Value) -> Option<T>,
    ) -> Result<Forced<T>, LanguageError> {
        match self.forced(expr)? {
            Forced::Unknown(unknown) => Ok(Forced::Unknown(unknown)),
            Forced::Known(value, secret) => match convert(&value) {
                Some(converted) => Ok(Forced::Known(converted, secret)),
                None => Err(wrong_kind(expr, place, expected, &value, secret)),
            },
        }
    }
}

fn wrong_kind(
    at: &Expr,
    place: &'static str,
    expected: &'static str,
    value: &Value,
    secret: bool,
) -> LanguageError {
    let kind = Kind::WrongKind { place, expected, found: convert::actual(value) };
    failed(at.range(), if secret { kind.hidden(place) } else { kind })
}

/// Converts a range within a literal's text to a range in the file; the literal begins at `start`.
pub(super) fn range_in_file(start: u32, raw: &str, range: &Range<u32>) -> Range<u32> {
    ranges_in_file(start, raw, std::iter::once(range)).next().unwrap_or(start..start)
}

/// Like `range_in_file` for several ranges of one literal, which is scanned only once.
pub(super) fn ranges_in_file<'a>(
    start: u32,
    raw: &str,
    ranges: impl Iterator<Item = &'a Range<u32>>,
) -> impl Iterator<Item = Range<u32>> {
    let decoded: Vec<_> = ranges.map(|range| range.start as usize..range.end as usize).collect();
    let moved = move |at: usize| start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
    let ranges = syntax::literal_ranges(raw, &decoded).into_iter();
    ranges.map(move |range| moved(range.start)..moved(range.end))
}

/// The scope of constant parts, which contains nothing.
pub(super) struct NoScope(pub(super) Platform);

impl Scope for NoScope {
    fn param(&self, _: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message("there are no parameters in a constant".to_owned()))
    }

    fn lookup(&self, _: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message("there are no resources in a constant".to_owned()))
    }

    fn env(&self, _: &str) -> String {
        String::new()
    }

    fn platform(&self) -> &Platform {
        &self.0
    }
}
