//! The other fields of the same node: `self.destination`.

use std::sync::{Arc, OnceLock};

use super::NodeScope;
use crate::evaluate::Evaluator;
use crate::report::close_names;
use crate::scope::Each;
use crate::system::Platform;
use crate::template::{Scope, ScopeError};
use crate::value::Value;

/// The values of fields that others of the same node asked for, by the index of the field: each is evaluated
/// once, however often it is read. What failed is not kept: it fails the node. Made when the first is asked for.
#[derive(Debug, Default)]
pub(super) struct Fields(OnceLock<Box<[Slot]>>);

type Slot = OnceLock<Value>;

impl Fields {
    fn slot(&self, index: usize, len: usize) -> Option<&Slot> {
        self.0.get_or_init(|| (0..len).map(|_| OnceLock::new()).collect()).get(index)
    }
}

/// The fields that are being evaluated, each because the next asked for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    field: usize,
    by: Option<&'a Asked<'a>>,
}

impl Asked<'_> {
    fn contains(&self, field: usize) -> bool {
        let mut at = Some(self);
        while let Some(asked) = at {
            if asked.field == field {
                return true;
            }
            at = asked.by;
        }
        false
    }
}

impl NodeScope<'_> {
    /// The value of another field of this node.
    pub(super) fn field(&self, name: &str, by: Option<&Asked<'_>>) -> Result<Value, ScopeError> {
        let schema = self.node.resource.schema();
        let Some((index, field)) = schema.field(name) else {
            let close = close_names(name, schema.fields.iter().map(|field| field.name));
            let close = close.into_iter().map(str::to_owned).collect();
            return Err(ScopeError::NotFound { what: "field", name: name.into(), close });
        };
        // The loader refuses circles, but a name may be computed.
        if by.is_some_and(|by| by.contains(index)) {
            return Err(ScopeError::Message(format!("`self.{name}` is made from itself")));
        }
        let evaluate = || {
            let Some(attribute) = self.node.attributes.iter().find(|attribute| attribute.field == index)
            else {
                return Ok(field.default.clone().unwrap_or_default());
            };
            let asked = Asked { field: index, by };
            let scope = FieldScope { node: self, asked: &asked };
            let mut evaluator = Evaluator::new(&scope, self.shared.graph.sources(), self.node.span);
            let value = evaluator.input(&attribute.input, &field.kind);
            match (value, evaluator.into_diagnostics().into_iter().next()) {
                (Some(value), None) => Ok(if field.sensitive { value.into_secret() } else { value }),
                (_, Some(error)) => Err(ScopeError::Message(format!("`self.{name}`: {}", error.message))),
                (None, None) => Ok(Value::Null),
            }
        };
        let Some(slot) = self.fields.slot(index, schema.fields.len()) else { return evaluate() };
        if let Some(value) = slot.get() {
            return Ok(value.clone());
        }
        let value = evaluate()?;
        Ok(slot.get_or_init(|| value).clone())
    }
}

/// The scope of a node, for one of its fields that another one asked for.
struct FieldScope<'a> {
    node: &'a NodeScope<'a>,
    asked: &'a Asked<'a>,
}

impl Scope for FieldScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        self.node.param(name)
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.node.lookup(path)
    }

    fn traverse(&self, path: &str) -> Result<Value, ScopeError> {
        self.node.traverse(path)
    }

    fn env(&self, name: &str) -> String {
        self.node.env(name)
    }

    fn platform(&self) -> &Platform {
        self.node.platform()
    }

    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        self.node.field(field, Some(self.asked))
    }

    fn each(&self) -> Option<&Each> {
        self.node.each()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        self.node.read(path)
    }
}
