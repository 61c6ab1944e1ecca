//! `random.shuffle`: a list in an order that is drawn once and stays.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_core::field_error;
use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Shuffle;

use super::drawn_value::Keeping;

/// The items of a list, or some of them, in an order that is drawn once and stays: so that not every machine asks the same server first.
///
/// It is drawn by the first apply, and kept in the state of the run. A plan shows it as *(known after apply)* until then.
///
/// # Guarantees
///
/// Each order, and with `count` each choice of so many items, is as likely as any other. It stays while all of its items are in the list and there are as many as `count`
/// says, and until `keepers` change.
///
/// # Caveats
///
/// It belongs to the file of the root module and to the id of the resource. It stays in the state when the resource is taken out of the module;
/// `state = "absent"` forgets it first.
#[derive(Debug, Preparer)]
#[preparer(name = "random.shuffle", task = Shuffle, validate, reads = "named", changes = "named", example = "example.hcl")]
pub struct ShufflePreparer {
    /// What is drawn from.
    #[hcl(required, nonempty)]
    from: Vec<String>,
    /// How many items are drawn; all, when nothing is said.
    #[hcl(min = 1)]
    count: Option<u32>,
    /// What the order is for: when one of these values changes, another one is drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there is an order; `absent` forgets the one that is kept, so that `present` draws another.
    state: Ensure,
}

impl Validate for ShufflePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        match self.count {
            Some(count) if count as usize > self.from.len() => {
                let has = self.from.len();
                Err(vec![field_error!("count", "{count} items cannot be drawn from {has}")])
            }
            _ => Ok(()),
        }
    }
}

impl Resource for ShufflePreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Shuffle> {
        let count = self.count.map_or(self.from.len(), |count| count as usize);
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Shuffle { values: None, count, from: self.from, keeping })
    }
}
