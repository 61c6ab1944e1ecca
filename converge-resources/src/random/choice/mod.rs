//! The `random.choice` resource: an item of a list that is drawn once and kept.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::prelude::*;

pub use task::Choice;

use super::drawn_value::Keeping;

/// Draws one item of a list and keeps it, for example the package mirror of a machine.
///
/// The first apply draws the item, and stores it in the state of the run. Until then, a plan shows it as
/// *(known after apply)*.
///
/// # Guarantees
///
/// All items are equally likely; an item that occurs twice is twice as likely. The item stays as long as it
/// is in the list, whatever other items come or go, and until `keepers` change.
///
/// # Caveats
///
/// The value belongs to the file of the root module and to the id of the resource. It stays in the state if
/// the resource is removed from the module; use `state = "absent"` first to forget it.
#[derive(Debug, Preparer)]
#[preparer(name = "random.choice", task = Choice, reads = "named", changes = "named", example = "example.hcl")]
pub struct ChoicePreparer {
    /// The items to draw from.
    #[hcl(required, nonempty)]
    from: Vec<String>,
    /// Values that the choice depends on: if one of them changes, another choice is made.
    keepers: BTreeMap<String, String>,
    /// Whether there is a choice; `absent` forgets the stored one, so that `present` makes another.
    state: Ensure,
}

impl Resource for ChoicePreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Choice> {
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Choice { value: None, from: self.from, keeping })
    }
}
