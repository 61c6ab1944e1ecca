//! Names and indexes of values: `base.name`, `base[index]`, `base[*].name`.

use super::{Evaluated, Machine, failed};
use crate::expression::convert::{self, Number};
use crate::expression::error::{ExpressionError, ExpressionErrorKind as Kind};
use crate::expression::held::{Held, Opened, copy, marked};
use crate::expression::tree::{Access, Step};
use crate::report::close_names;
use crate::value::Value;

impl<'a> Machine<'a> {
    pub(super) fn access(&mut self, access: &'a Access) -> Evaluated<'a> {
        let base = self.eval(&access.base)?;
        self.walk(&base, &access.steps).map(Held::Owned)
    }

    pub(super) fn splat(&mut self, splat: &'a Access) -> Evaluated<'a> {
        let (value, secret) = match self.opened(&splat.base)? {
            Opened::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
            Opened::Known { value, secret } => (value, secret),
        };
        let items = items(&value);
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            let item = if splat.steps.is_empty() {
                copy(item, &self.work).map_err(|kind| failed(splat.base.range(), kind))?
            } else {
                self.walk(item, &splat.steps)?
            };
            values.push(item);
        }
        Ok(marked(Value::List(values), secret).into())
    }

    /// What the steps lead to. Only that is copied.
    fn walk(&mut self, base: &Value, steps: &'a [Step]) -> Result<Value, ExpressionError> {
        let (mut at, mut secret) = (base, false);
        let mut last = 0..0;
        let mut left = steps;
        while let [step, rest @ ..] = left {
            left = rest;
            while let Value::Secret(inner) = at {
                secret = true;
                self.seen.secret = true;
                at = inner.expose();
            }
            if let Value::Unknown(unknown) = at {
                self.see_unknown(unknown);
                return Ok(Value::Unknown(unknown.clone()));
            }
            match step {
                Step::Attribute { name, start, end } => {
                    last = *start..*end;
                    let hide = |kind: Kind| if secret { kind.hidden("attribute") } else { kind };
                    at = attribute(at, name).map_err(|kind| failed(last.clone(), hide(kind)))?;
                }
                Step::Index(index) => {
                    last = index.range();
                    let key = match self.opened(index)? {
                        Opened::Unknown(unknown) => return Ok(Value::Unknown(unknown)),
                        Opened::Known { value, secret: hidden } => {
                            secret |= hidden;
                            value
                        }
                    };
                    let hide = |kind: Kind| if secret { kind.hidden("index") } else { kind };
                    at = item(at, &key).map_err(|kind| failed(last.clone(), hide(kind)))?;
                }
                Step::Splat => {
                    let values =
                        items(at).iter().map(|item| self.walk(item, rest)).collect::<Result<_, _>>()?;
                    return Ok(marked(Value::List(values), secret));
                }
            }
        }
        if let Value::Unknown(unknown) = at {
            self.see_unknown(unknown);
        }
        let value = copy(at, &self.work).map_err(|kind| failed(last, kind))?;
        Ok(marked(value, secret))
    }
}

/// What a splat goes through: of what is no list it is the thing itself, of null nothing.
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
        _ => Err(Kind::NoNames { name: name.to_owned(), found: value.kind() }),
    }
}

/// The item of a list or the entry of a map.
pub(in crate::expression) fn item<'v>(value: &'v Value, key: &Value) -> Result<&'v Value, Kind> {
    let wrong = |expected| Kind::WrongKind { place: "the index", expected, found: convert::found(key) };
    match value {
        Value::Map(items) => {
            let key = convert::text(key).ok_or_else(|| wrong("a string"))?;
            items.get(&*key).ok_or_else(|| no_key(items, &key))
        }
        Value::List(items) => {
            let Some(Number::Int(index)) = convert::number(key) else { return Err(wrong("a whole number")) };
            let place = usize::try_from(index).ok();
            let found = place.and_then(|place| items.get(place));
            found.ok_or(Kind::OutOfRange { index, length: items.len() })
        }
        _ => Err(Kind::NoItems { found: value.kind() }),
    }
}

fn no_key(items: &indexmap::IndexMap<String, Value>, key: &str) -> Kind {
    /// Names of more are not worth the time.
    const COMPARED: usize = 1000;
    let names = items.keys().take(COMPARED).map(String::as_str);
    let close = close_names(key, names).into_iter().map(str::to_owned).collect();
    Kind::NoKey { key: key.to_owned(), close }
}
