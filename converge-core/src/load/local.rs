//! `locals { .. }`: values with a name, made of anything.
//!
//! Each is a node that has no effects, like a parameter, and exports its value. A name for it, `local.NAME`, is a lookup of that
//! export, so that edges, cycles, what is not known yet, and secrets are as with any other lookup. What can be known when the
//! module is loaded is known then.

use crate::sdk::prelude::*;

/// The type of the nodes, and the first part of their names.
pub(crate) const LOCAL: &str = "local";

/// The block that declares them.
pub(super) const LOCALS: &str = "locals";

/// The field with the value.
pub(super) const VALUE: &str = "value";

/// A value with a name.
#[derive(Debug, converge_derive::Preparer)]
// It is part of the language, so it is in every registry already.
#[preparer(name = "local", task = LocalValue, register = false, reads = "named", changes = "named")]
pub(crate) struct Local {
    /// The value.
    value: Option<Value>,
}

/// The value.
#[derive(Debug, converge_derive::Export)]
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
