//! `random.id`: bytes that are drawn once and stay.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_core::prelude::*;

pub use task::Id;

use super::drawn_value::Keeping;

/// Random bytes that are drawn once and stay, as text: for names that nothing else has, and salts.
///
/// They are drawn by the first apply, and kept in the state of the run. A plan shows them as *(known after apply)* until then. They are no secret: what must not be seen is
/// a `random.password`.
///
/// # Guarantees
///
/// They stay while there are as many of them as `bytes` says, and until `keepers` change.
///
/// # Caveats
///
/// They belong to the file of the root module and to the id of the resource. They stay in the state when the resource is taken out of the module; `state = "absent"`
/// forgets them first.
#[derive(Debug, Preparer)]
#[preparer(name = "random.id", task = Id, reads = "named", changes = "named", example = "example.hcl")]
pub struct IdPreparer {
    /// How many bytes are drawn.
    #[hcl(default = 8, min = 1, max = 1024)]
    bytes: u32,
    /// What the bytes are for: when one of these values changes, others are drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there are bytes; `absent` forgets those that are kept, so that `present` draws others.
    state: Ensure,
}

impl Resource for IdPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Id> {
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Id { hex: None, base64url: None, bytes: self.bytes as usize, keeping })
    }
}
