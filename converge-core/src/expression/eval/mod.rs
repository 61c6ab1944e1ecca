//! Evaluating an expression.

mod access;
mod call;
mod loops;
mod operators;

use std::ops::Range;
use std::rc::Rc;

use indexmap::IndexMap;

use super::convert;
use super::error::{ExpressionError, ExpressionErrorKind as Kind};
use super::held::{Held, Opened, marked, open};
use super::tree::{Expr, ExprKind, Name, PlatformField, Text};
use super::work::Work;
use crate::scope::{Scope, ScopeError};
use crate::syntax;
use crate::value::{Unknown, Value};

type Evaluated<'a> = Result<Held<'a>, ExpressionError>;

/// One evaluation.
pub(super) struct Machine<'a> {
    names: &'a [Name],
    scope: &'a dyn Scope,
    /// The values of the names that were asked for already.
    values: Vec<Option<Rc<Value>>>,
    /// The variables of the loops that run, outermost first.
    frame: Vec<Rc<Value>>,
    work: Work,
    seen: Seen,
    /// In how many `try` and `can` this is.
    trying: usize,
}

/// What decided something on the way: `try` and `can` tell whether something failed, and that must be as
/// secret and as unknown as what it depends on.
#[derive(Debug, Default)]
struct Seen {
    secret: bool,
    unknown: Option<Unknown>,
}

fn failed(range: Range<u32>, kind: Kind) -> ExpressionError {
    ExpressionError { kind, range }
}

impl<'a> Machine<'a> {
    pub(super) fn new(names: &'a [Name], scope: &'a dyn Scope, work: Work) -> Self {
        let values = vec![None; names.len()];
        Self { names, scope, values, frame: Vec::new(), work, seen: Seen::default(), trying: 0 }
    }

    /// The value of the whole expression.
    pub(super) fn run(mut self, expr: &'a Expr) -> Result<Value, ExpressionError> {
        self.owned(expr)
    }

    fn eval(&mut self, expr: &'a Expr) -> Evaluated<'a> {
        self.work.spend(1).map_err(|kind| failed(expr.range(), kind))?;
        match &expr.kind {
            ExprKind::Constant(value) => Ok(Held::Borrowed(value)),
            ExprKind::Text(text) => self.text(expr, text),
            ExprKind::Variable(slot) => Ok(match self.frame.get(usize::from(*slot)) {
                Some(value) => Held::Shared(value.clone()),
                None => Held::Owned(Value::Null),
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

    /// The value of an expression, as one's own.
    fn owned(&mut self, expr: &'a Expr) -> Result<Value, ExpressionError> {
        let held = self.eval(expr)?;
        held.into_owned(&self.work).map_err(|kind| failed(expr.range(), kind))
    }

    /// The value of an expression on which something depends.
    fn opened(&mut self, expr: &'a Expr) -> Result<Opened<'a>, ExpressionError> {
        let held = self.eval(expr)?;
        self.open(held).map_err(|kind| failed(expr.range(), kind))
    }

    fn open(&mut self, held: Held<'a>) -> Result<Opened<'a>, Kind> {
        let opened = open(held, &self.work)?;
        match &opened {
            Opened::Unknown(unknown) => self.see_unknown(unknown),
            Opened::Known { secret, .. } => self.seen.secret |= secret,
        }
        Ok(opened)
    }

    fn see_unknown(&mut self, unknown: &Unknown) {
        self.seen.unknown.get_or_insert_with(|| unknown.clone());
    }

    fn name(&mut self, expr: &'a Expr, index: u32) -> Evaluated<'a> {
        let index = index as usize;
        if let Some(Some(value)) = self.values.get(index) {
            return Ok(Held::Shared(value.clone()));
        }
        let Some(name) = self.names.get(index) else { return Ok(Value::Null.into()) };
        let value = self.ask(name).map_err(|kind| failed(expr.range(), kind))?;
        let value = Rc::new(value);
        if let Some(place) = self.values.get_mut(index) {
            *place = Some(value.clone());
        }
        Ok(Held::Shared(value))
    }

    fn ask(&self, name: &Name) -> Result<Value, Kind> {
        let scope = self.scope;
        let each = |value: fn(&crate::scope::Each) -> Value| scope.each().map(value).ok_or(Kind::NoEach);
        match name {
            Name::Param(name) => scope.param(name).map_err(Kind::Scope),
            Name::This(field) => scope.this(field).map_err(Kind::Scope),
            Name::Traverse(path) => scope.traverse(path).map_err(Kind::Scope),
            Name::Lookup(path) => scope.lookup(path).map_err(Kind::Scope),
            Name::EachKey => each(|each| Value::String(each.key.clone())),
            Name::EachValue => each(|each| each.value.clone()),
            Name::Env(name) => Ok(match scope.machine() {
                Ok(()) => Value::from(scope.env(name)),
                Err(unknown) => Value::Unknown(unknown),
            }),
            Name::Platform(field) => Ok(match scope.machine() {
                Ok(()) => Value::from(platform_field(scope.platform(), *field)),
                Err(unknown) => Value::Unknown(unknown),
            }),
        }
    }

    fn text(&mut self, expr: &'a Expr, text: &'a Text) -> Evaluated<'a> {
        let (value, steps) = text.template.render_counted(None, self.scope);
        self.work.spend(steps).map_err(|kind| failed(expr.range(), kind))?;
        let value = value.map_err(|error| {
            // Nobody knows whether it failed for a secret, so it counts as if it did.
            self.seen.secret = true;
            let range = range_in_file(expr.start, &text.raw, &error.range);
            failed(range, Kind::Template(Box::new(error.kind)))
        })?;
        self.work.spend_text(&value).map_err(|kind| failed(expr.range(), kind))?;
        Ok(value.into())
    }

    fn map(&mut self, entries: &'a [(Expr, Expr)]) -> Evaluated<'a> {
        let mut map = IndexMap::with_capacity(entries.len());
        let mut secret = false;
        for (key, value) in entries {
            match self.key(key)? {
                Key::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
                Key::Known { text, secret: hidden } => {
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
        Ok(marked(Value::Map(map), secret).into())
    }

    /// The key of an entry, which is text or what can be turned into text.
    fn key(&mut self, expr: &'a Expr) -> Result<Key, ExpressionError> {
        match self.opened(expr)? {
            Opened::Unknown(unknown) => Ok(Key::Unknown(unknown)),
            Opened::Known { value, secret } => match convert::text(&value) {
                Some(text) => {
                    self.work.spend_bytes(text.len()).map_err(|kind| failed(expr.range(), kind))?;
                    Ok(Key::Known { text: text.as_ref().to_owned(), secret })
                }
                None => Err(wrong_kind(expr, "a key", "a string", &value, secret)),
            },
        }
    }
}

/// The key of an entry.
enum Key {
    Unknown(Unknown),
    Known { text: String, secret: bool },
}

fn wrong_kind(
    at: &Expr,
    place: &'static str,
    expected: &'static str,
    value: &Value,
    secret: bool,
) -> ExpressionError {
    let kind = Kind::WrongKind { place, expected, found: convert::found(value) };
    failed(at.range(), if secret { kind.hidden(place) } else { kind })
}

fn platform_field(platform: &crate::system::Platform, field: PlatformField) -> &str {
    match field {
        PlatformField::Os => &platform.os,
        PlatformField::Name => &platform.name,
        PlatformField::PrettyName => &platform.pretty_name,
        PlatformField::Version => &platform.version,
        PlatformField::Build => &platform.build,
        PlatformField::LinuxDistribution => &platform.linux_distribution,
        PlatformField::LinuxLsbLike => &platform.linux_lsb_like,
    }
}

/// Where a range of the text of a literal, which begins at `start`, is in the file.
pub(super) fn range_in_file(start: u32, raw: &str, range: &Range<u32>) -> Range<u32> {
    ranges_in_file(start, raw, std::iter::once(range)).next().unwrap_or(start..start)
}

/// The same for several ranges of one literal, which is read once for all of them.
pub(super) fn ranges_in_file<'a>(
    start: u32,
    raw: &str,
    ranges: impl Iterator<Item = &'a Range<u32>>,
) -> impl Iterator<Item = Range<u32>> {
    let decoded: Vec<_> = ranges.map(|range| range.start as usize..range.end as usize).collect();
    let moved = move |at: usize| start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
    let found = syntax::literal_ranges(raw, &decoded).into_iter();
    found.map(move |found| moved(found.start)..moved(found.end))
}

/// What constant parts see: nothing.
pub(super) struct NoScope(pub(super) crate::system::Platform);

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

    fn platform(&self) -> &crate::system::Platform {
        &self.0
    }
}
