//! The language block `locals { .. }`: named values of any kind.
//!
//! Each value is a node without effects, like a parameter, and exports its value. `local.NAME` is a lookup of
//! that export. Edges, cycles, unknown values and secrets therefore work as with any other lookup. Values
//! that are known at load are evaluated then.

use crate::sdk::prelude::*;

/// The type of the nodes, and the first part of their names.
pub(crate) const LOCAL: &str = "local";

/// The keyword of the block.
pub(crate) const LOCALS: &str = "locals";

/// The name of the field with the value.
pub(crate) const VALUE: &str = "value";

/// A named value.
#[derive(Debug, converge_sdk::Preparer)]
// The type is part of the language, so every registry contains it already.
#[preparer(name = "local", task = LocalValue, register = false, reads = "named", changes = "named")]
pub(crate) struct Local {
    /// The value.
    value: Option<Value>,
}

/// The exported value of a local.
#[derive(Debug, converge_sdk::Export)]
pub(crate) struct LocalValue {
    /// The value.
    #[export]
    val: Value,
}

impl Resource for Local {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<LocalValue> {
        Ok(LocalValue { val: self.value.unwrap_or_default() })
    }
}

impl Task for LocalValue {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
