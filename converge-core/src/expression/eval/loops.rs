//! `for`.

use std::rc::Rc;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::operators::Part;
use super::{Evaluated, Key, Machine, failed, wrong_kind};
use crate::expression::convert;
use crate::expression::error::{ExpressionError, ExpressionErrorKind as Kind};
use crate::expression::held::{Opened, copy, marked};
use crate::expression::tree::{For, ForForm};
use crate::value::{Unknown, Value};

/// What a loop makes.
enum Made {
    List(Vec<Value>),
    Map(IndexMap<String, Value>),
    Grouped(IndexMap<String, Vec<Value>>),
}

/// What has been made so far.
struct Progress {
    made: Made,
    /// Whether a secret decided what is in it.
    secret: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn for_loop(&mut self, node: &'a For) -> Evaluated<'a> {
        let (over, secret) = match self.opened(&node.over)? {
            Opened::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
            Opened::Known { value, secret } => (value, secret),
        };
        let made = match &node.form {
            ForForm::List => Made::List(Vec::new()),
            ForForm::Map(_) => Made::Map(IndexMap::new()),
            ForForm::Grouped(_) => Made::Grouped(IndexMap::new()),
        };
        let mut progress = Progress { made, secret };
        let unknown = match &*over {
            Value::List(items) => {
                let entries = (0..).zip(items).map(|(index, item)| (Value::Int(index), item));
                self.rounds(node, entries, &mut progress)?
            }
            // In the order of the keys, as everywhere.
            Value::Map(items) => {
                self.work.spend(items.len()).map_err(|kind| failed(node.over.range(), kind))?;
                let entries = convert::sorted(items).into_iter();
                let entries = entries.map(|(name, item)| (Value::string(name.as_str()), item));
                self.rounds(node, entries, &mut progress)?
            }
            other => return Err(wrong_kind(&node.over, "`for`", "a list or a map", other, secret)),
        };
        if let Some(unknown) = unknown {
            return Ok(Value::Unknown(unknown).into());
        }
        let value = match progress.made {
            Made::List(items) => Value::List(items),
            Made::Map(items) => Value::Map(items),
            Made::Grouped(items) => {
                Value::Map(items.into_iter().map(|(name, items)| (name, Value::List(items))).collect())
            }
        };
        Ok(marked(value, progress.secret).into())
    }

    /// All rounds; gives what decides about an entry and is not known.
    fn rounds<'v>(
        &mut self,
        node: &'a For,
        entries: impl Iterator<Item = (Value, &'v Value)>,
        progress: &mut Progress,
    ) -> Result<Option<Unknown>, ExpressionError> {
        let depth = self.frame.len();
        let secret = progress.secret;
        for (key, item) in entries {
            if node.key {
                self.frame.push(Rc::new(marked(key, secret)));
            }
            let item = copy(item, &self.work).map_err(|kind| failed(node.over.range(), kind))?;
            self.frame.push(Rc::new(marked(item, secret)));
            let unknown = self.round(node, progress)?;
            self.frame.truncate(depth);
            if unknown.is_some() {
                return Ok(unknown);
            }
        }
        Ok(None)
    }

    fn round(&mut self, node: &'a For, progress: &mut Progress) -> Result<Option<Unknown>, ExpressionError> {
        if let Some(condition) = &node.condition {
            match self.boolean(condition, "`if`")? {
                Part::Unknown(unknown) => return Ok(Some(unknown)),
                Part::Known(taken, secret) => {
                    progress.secret |= secret;
                    if !taken {
                        return Ok(None);
                    }
                }
            }
        }
        let (ForForm::Map(key) | ForForm::Grouped(key)) = &node.form else {
            let value = self.owned(&node.result)?;
            if let Made::List(items) = &mut progress.made {
                items.push(value);
            }
            return Ok(None);
        };
        let text = match self.key(key)? {
            Key::Unknown(unknown) => return Ok(Some(unknown)),
            Key::Known { text, secret } => {
                progress.secret |= secret;
                text
            }
        };
        let value = self.owned(&node.result)?;
        match &mut progress.made {
            Made::Map(items) => match items.entry(text) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(place) => {
                    let kind = Kind::DuplicateKey { key: place.key().clone(), grouped: true };
                    let kind = if progress.secret { kind.hidden("for") } else { kind };
                    return Err(failed(key.range(), kind));
                }
            },
            Made::Grouped(items) => items.entry(text).or_default().push(value),
            Made::List(_) => {}
        }
        Ok(None)
    }
}
