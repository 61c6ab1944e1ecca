//! `random.choice`: one of a list, which is drawn once and stays.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_core::prelude::*;

pub use task::Choice;

use super::drawn_value::Keeping;

/// One item of a list, which is drawn once and stays: the mirror that a machine takes its packages from, of those that there are.
///
/// It is drawn by the first apply, and kept in the state of the run. A plan shows it as *(known after apply)* until then.
///
/// # Guarantees
///
/// Each item is as likely as any other; one that is in the list twice is twice as likely. It stays while it is in the list, whatever else comes or goes, and until `keepers`
/// change.
///
/// # Caveats
///
/// It belongs to the file of the root module and to the id of the resource. It stays in the state when the resource is taken out of the module;
/// `state = "absent"` forgets it first.
#[derive(Debug, Preparer)]
#[preparer(name = "random.choice", task = Choice, reads = "named", changes = "named", example = "example.hcl")]
pub struct ChoicePreparer {
    /// What it is drawn from.
    #[hcl(required, nonempty)]
    from: Vec<String>,
    /// What the choice is for: when one of these values changes, it is made again.
    keepers: BTreeMap<String, String>,
    /// Whether there is a choice; `absent` forgets the one that is kept, so that `present` makes another.
    state: Ensure,
}

impl Resource for ChoicePreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Choice> {
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Choice { value: None, from: self.from, keeping })
    }
}
