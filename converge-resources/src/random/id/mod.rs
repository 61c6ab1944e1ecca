//! The `random.id` resource: random bytes that are drawn once and kept.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::prelude::*;

pub use task::Id;

use super::drawn_value::Keeping;

/// Draws random bytes and keeps them as text, for unique names and salts.
///
/// The first apply draws the bytes, and stores them in the state of the run. Until then, a plan shows them as
/// *(known after apply)*. They are not secret: use `random.password` for secrets.
///
/// # Guarantees
///
/// The bytes stay as long as their number is that of `bytes`, and until `keepers` change.
///
/// # Caveats
///
/// The value belongs to the file of the root module and to the id of the resource. It stays in the state if
/// the resource is removed from the module; use `state = "absent"` first to forget it.
#[derive(Debug, Preparer)]
#[preparer(name = "random.id", task = Id, reads = "named", changes = "named", example = "example.hcl")]
pub struct IdPreparer {
    /// The number of bytes to draw.
    #[hcl(default = 8, min = 1, max = 1024)]
    bytes: u32,
    /// Values that the bytes depend on: if one of them changes, others are drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there are bytes; `absent` forgets the stored ones, so that `present` draws others.
    state: Ensure,
}

impl Resource for IdPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Id> {
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Id { hex: None, base64url: None, bytes: self.bytes as usize, keeping })
    }
}
