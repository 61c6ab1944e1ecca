//! `random.uuid`: a UUID that is drawn once and stays.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_core::prelude::*;

pub use task::Uuid;

use super::drawn_value::Keeping;

/// A UUID that is drawn once and stays.
///
/// It is one of version 4, of 122 random bits. It is drawn by the first apply, and kept in the state of the run. A plan shows it as *(known after apply)* until then. One that
/// follows from a name is `uuidv5`, which keeps nothing.
///
/// # Guarantees
///
/// It stays until `keepers` change.
///
/// # Caveats
///
/// It belongs to the file of the root module and to the id of the resource. It stays in the state when the resource is taken out of the module;
/// `state = "absent"` forgets it first.
#[derive(Debug, Preparer)]
#[preparer(name = "random.uuid", task = Uuid, reads = "named", changes = "named", example = "example.hcl")]
pub struct UuidPreparer {
    /// What the UUID is for: when one of these values changes, another one is drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there is a UUID; `absent` forgets the one that is kept, so that `present` draws another.
    state: Ensure,
}

impl Resource for UuidPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Uuid> {
        Ok(Uuid { value: None, keeping: Keeping { state: self.state, keepers: self.keepers } })
    }
}
