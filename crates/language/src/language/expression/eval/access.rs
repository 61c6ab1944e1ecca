//! Names and indexes of values: `base.name`, `base[index]`, `base[*].name`.

use super::{EvalResult, Interpreter, failed};
use crate::diagnostic::close_names;
use crate::language::convert::{self, Number};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::expression::tree::{Access, Accessor, ExprKind, ScopeSymbol};
use crate::language::operand::{Forced, Operand, copy, marked};
use crate::types::id::quoted_key;
use crate::types::value::Value;

impl<'a> Interpreter<'a> {
    pub(super) fn access(&mut self, access: &'a Access) -> EvalResult<'a> {
        if let Some(value) = self.part(access)? {
            return Ok(value);
        }
        let base = self.eval(&access.base)?;
        self.walk(&base, &access.accessors).map(Operand::Owned)
    }

    /// Evaluates one part of a module or a `for_each`; other parts may not be known yet.
    fn part(&mut self, access: &'a Access) -> Result<Option<Operand<'a>>, LanguageError> {
        let ExprKind::Name(symbol) = access.base.kind else { return Ok(None) };
        let Some(ScopeSymbol::Traverse(base)) = self.symbols.get(symbol as usize) else { return Ok(None) };
        if !access.accessors.iter().any(|accessor| matches!(accessor, Accessor::Index(_))) {
            return Ok(None);
        }
        let (mut path, mut secret, mut rest) = (base.to_string(), false, &*access.accessors);
        while let [accessor, after @ ..] = rest
            && self.scope.has_parts(&path)
        {
            match accessor {
                Accessor::Attribute { name, .. } => {
                    path.push('.');
                    path.push_str(name);
                }
                Accessor::Index(index) => match self.key(index)? {
                    Forced::Unknown(unknown) => return Ok(Some(Value::Unknown(unknown).into())),
                    Forced::Known(key, hidden) => {
                        secret |= hidden;
                        path.push_str(&quoted_key(&key));
                    }
                },
                Accessor::Splat => break,
            }
            rest = after;
        }
        if rest.len() == access.accessors.len() {
            return Ok(None);
        }
        let range = access.base.range();
        let hide = |kind: Kind| if secret { kind.hidden("index") } else { kind };
        let value = self.scope.traverse(&path).map_err(|error| failed(range.clone(), hide(error.into())))?;
        self.budget.spend_value(&value).map_err(|kind| failed(range, kind))?;
        let value = self.walk(&value, rest)?;
        Ok(Some(marked(value, secret).into()))
    }

    pub(super) fn splat(&mut self, splat: &'a Access) -> EvalResult<'a> {
        let (value, secret) = match self.forced(&splat.base)? {
            Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
            Forced::Known(value, secret) => (value, secret),
        };
        let items = items(&value);
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let item = if splat.accessors.is_empty() {
                copy(item, &self.budget).map_err(|kind| failed(splat.base.range(), kind))?
            } else {
                self.walk(item, &splat.accessors)?
            };
            values.push(item);
        }
        Ok(marked(Value::List(values), secret).into())
    }

    /// Follows the accessors from `base` and copies only the resulting value.
    fn walk(&mut self, base: &Value, steps: &'a [Accessor]) -> Result<Value, LanguageError> {
        let (mut current, mut secret) = (base, false);
        let mut last = 0..0;
        let mut left = steps;
        while let [step, rest @ ..] = left {
            left = rest;
            while let Value::Secret(inner) = current {
                secret = true;
                self.taint.secret = true;
                current = inner.expose();
            }
            if let Value::Unknown(unknown) = current {
                self.taint.note_unknown(unknown);
                return Ok(Value::Unknown(unknown.clone()));
            }
            match step {
                Accessor::Attribute { name, start, end } => {
                    last = *start..*end;
                    let hide = |kind: Kind| if secret { kind.hidden("attribute") } else { kind };
                    current = attribute(current, name).map_err(|kind| failed(last.clone(), hide(kind)))?;
                }
                Accessor::Index(index) => {
                    last = index.range();
                    let key = match self.forced(index)? {
                        Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown)),
                        Forced::Known(value, hidden) => {
                            secret |= hidden;
                            value
                        }
                    };
                    let hide = |kind: Kind| if secret { kind.hidden("index") } else { kind };
                    current = item(current, &key).map_err(|kind| failed(last.clone(), hide(kind)))?;
                }
                Accessor::Splat => {
                    let values =
                        items(current).iter().map(|item| self.walk(item, rest)).collect::<Result<_, _>>()?;
                    return Ok(marked(Value::List(values), secret));
                }
            }
        }
        if let Value::Unknown(unknown) = current {
            self.taint.note_unknown(unknown);
        }
        let value = copy(current, &self.budget).map_err(|kind| failed(last, kind))?;
        Ok(marked(value, secret))
    }
}

/// Returns the values that a splat applies to.
///
/// A list gives its items, null gives none, and any other value gives itself.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::List(items) => items,
        other => std::slice::from_ref(other),
    }
}

fn attribute<'v>(value: &'v Value, name: &str) -> Result<&'v Value, Kind> {
    match value {
        Value::Map(items) => items.get(name).ok_or_else(|| no_key(items, name)),
        Value::List(_) => {
            let hint = "; `[*].` takes it from every item";
            Err(Kind::Invalid(format!("{} has no `.{name}`{hint}", value.kind())))
        }
        _ => Err(Kind::Invalid(format!("{} has no `.{name}`", value.kind()))),
    }
}

/// Returns the item of a list or the entry of a map.
fn item<'v>(value: &'v Value, key: &Value) -> Result<&'v Value, Kind> {
    let kind_error = |expected| Kind::WrongKind { place: "the index", expected, found: convert::actual(key) };
    match value {
        Value::Map(items) => {
            let key = convert::text(key).ok_or_else(|| kind_error("a string"))?;
            items.get(&*key).ok_or_else(|| no_key(items, &key))
        }
        Value::List(items) => {
            let Some(Number::Int(index)) = convert::number(key) else {
                return Err(kind_error("a whole number"));
            };
            let place = usize::try_from(index).ok();
            let element = place.and_then(|place| items.get(place));
            element.ok_or(Kind::OutOfRange { index, length: items.len() })
        }
        _ => Err(Kind::Invalid(format!("only a list or a map has items, not {}", value.kind()))),
    }
}

fn no_key(items: &indexmap::IndexMap<String, Value>, key: &str) -> Kind {
    /// The maximum number of keys that are compared to find similar ones.
    const COMPARED: usize = 1000;
    let names = items.keys().take(COMPARED).map(String::as_str);
    let close = close_names(key, names);
    Kind::NoKey { key: key.to_owned(), close }
}
