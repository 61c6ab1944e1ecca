//! The `random.uuid` resource: a UUID that is drawn once and kept.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::prelude::*;

pub use task::Uuid;

use super::drawn_value::Keeping;

/// Draws a UUID and keeps it.
///
/// It is a UUID of version 4, with 122 random bits. The first apply draws the UUID, and stores it in the
/// state of the run. Until then, a plan shows it as *(known after apply)*. For a UUID that is derived from a
/// name, use the function `uuidv5`, which stores nothing.
///
/// # Guarantees
///
/// The UUID stays until `keepers` change.
///
/// # Caveats
///
/// The value belongs to the file of the root module and to the id of the resource. It stays in the state if
/// the resource is removed from the module; use `state = "absent"` first to forget it.
#[derive(Debug, Preparer)]
#[preparer(name = "random.uuid", task = Uuid, reads = "named", changes = "named", example = "example.hcl")]
pub struct UuidPreparer {
    /// Values that the UUID depends on: if one of them changes, another one is drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there is a UUID; `absent` forgets the stored one, so that `present` draws another.
    state: Ensure,
}

impl Resource for UuidPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Uuid> {
        Ok(Uuid { value: None, keeping: Keeping { state: self.state, keepers: self.keepers } })
    }
}
