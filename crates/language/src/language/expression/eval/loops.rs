//! Evaluation of `for`.

use std::rc::Rc;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::{EvalResult, Interpreter, failed, wrong_kind};
use crate::language::convert;
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::expression::tree::{For, ForForm};
use crate::language::operand::{Forced, copy, marked};
use crate::types::value::{Unknown, Value};

/// The result of a `for` so far.
enum Collected {
    List(Vec<Value>),
    Map(IndexMap<String, Value>),
    Grouped(IndexMap<String, Vec<Value>>),
}

struct Accumulator {
    collected: Collected,
    /// Whether a secret decided which entries were collected.
    secret: bool,
}

impl<'a> Interpreter<'a> {
    pub(super) fn for_loop(&mut self, node: &'a For) -> EvalResult<'a> {
        let (collection, secret) = match self.forced(&node.over)? {
            Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
            Forced::Known(value, secret) => (value, secret),
        };
        let collected = match &node.form {
            ForForm::List => Collected::List(match (&*collection, &node.condition) {
                (Value::List(items), None) => Vec::with_capacity(items.len()),
                _ => Vec::new(),
            }),
            ForForm::Map(_) => Collected::Map(IndexMap::new()),
            ForForm::Grouped(_) => Collected::Grouped(IndexMap::new()),
        };
        let mut accumulator = Accumulator { collected, secret };
        let unknown = match &*collection {
            Value::List(items) => {
                let entries = (0..).zip(items).map(|(index, item)| (Value::Int(index), item));
                self.rounds(node, entries, &mut accumulator)?
            }
            // Maps are always traversed in key order.
            Value::Map(items) => {
                self.budget.spend(items.len()).map_err(|kind| failed(node.over.range(), kind))?;
                let entries = convert::sorted(items).into_iter();
                let entries = entries.map(|(name, item)| (Value::string(name.as_str()), item));
                self.rounds(node, entries, &mut accumulator)?
            }
            other => return Err(wrong_kind(&node.over, "`for`", "a list or a map", other, secret)),
        };
        if let Some(unknown) = unknown {
            return Ok(Value::Unknown(unknown).into());
        }
        let value = match accumulator.collected {
            Collected::List(items) => Value::List(items),
            Collected::Map(items) => Value::Map(items.into()),
            Collected::Grouped(items) => {
                Value::Map(items.into_iter().map(|(name, items)| (name, Value::List(items))).collect())
            }
        };
        Ok(marked(value, accumulator.secret).into())
    }

    /// Runs all iterations; returns the unknown value that decides about an entry, if there is one.
    fn rounds<'v>(
        &mut self,
        node: &'a For,
        entries: impl Iterator<Item = (Value, &'v Value)>,
        accumulator: &mut Accumulator,
    ) -> Result<Option<Unknown>, LanguageError> {
        let depth = self.frame.len();
        let secret = accumulator.secret;
        for (key, item) in entries {
            if node.key {
                self.set_variable(depth, marked(key, secret));
            }
            let item = copy(item, &self.budget).map_err(|kind| failed(node.over.range(), kind))?;
            self.set_variable(depth + usize::from(node.key), marked(item, secret));
            let unknown = self.round(node, accumulator)?;
            if unknown.is_some() {
                self.frame.truncate(depth);
                return Ok(unknown);
            }
        }
        self.frame.truncate(depth);
        Ok(None)
    }

    /// Sets a variable of the innermost loop, and reuses its allocation if nothing kept the previous value.
    fn set_variable(&mut self, slot: usize, value: Value) {
        match self.frame.get_mut(slot) {
            Some(place) => match Rc::get_mut(place) {
                Some(old) => *old = value,
                None => *place = Rc::new(value),
            },
            None => self.frame.push(Rc::new(value)),
        }
    }

    fn round(
        &mut self,
        node: &'a For,
        accumulator: &mut Accumulator,
    ) -> Result<Option<Unknown>, LanguageError> {
        if let Some(condition) = &node.condition {
            match self.boolean(condition, "`if`")? {
                Forced::Unknown(unknown) => return Ok(Some(unknown)),
                Forced::Known(taken, secret) => {
                    accumulator.secret |= secret;
                    if !taken {
                        return Ok(None);
                    }
                }
            }
        }
        let (ForForm::Map(key) | ForForm::Grouped(key)) = &node.form else {
            let value = self.owned(&node.result)?;
            if let Collected::List(items) = &mut accumulator.collected {
                items.push(value);
            }
            return Ok(None);
        };
        let text = match self.key(key)? {
            Forced::Unknown(unknown) => return Ok(Some(unknown)),
            Forced::Known(text, secret) => {
                accumulator.secret |= secret;
                text
            }
        };
        let value = self.owned(&node.result)?;
        match &mut accumulator.collected {
            Collected::Map(items) => match items.entry(text) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(place) => {
                    let kind = Kind::DuplicateKey { key: place.key().clone(), grouped: true };
                    let kind = if accumulator.secret { kind.hidden("for") } else { kind };
                    return Err(failed(key.range(), kind));
                }
            },
            Collected::Grouped(items) => items.entry(text).or_default().push(value),
            Collected::List(_) => {}
        }
        Ok(None)
    }
}
