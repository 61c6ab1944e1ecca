//! The `random.shuffle` resource: an order of a list that is drawn once and kept.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::field_error;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Shuffle;

use super::drawn_value::Keeping;

/// Draws an order of a list, or of some of its items, and keeps it.
///
/// Machines with different orders do not all ask the same server first. The first apply draws the order, and
/// stores it in the state of the run. Until then, a plan shows it as *(known after apply)*.
///
/// # Guarantees
///
/// All orders, and with `count` all choices of so many items, are equally likely. The order stays as long as
/// all of its items are in the list and their number is that of `count`, and until `keepers` change.
///
/// # Caveats
///
/// The value belongs to the file of the root module and to the id of the resource. It stays in the state if
/// the resource is removed from the module; use `state = "absent"` first to forget it.
#[derive(Debug, Preparer)]
#[preparer(name = "random.shuffle", task = Shuffle, validate, reads = "named", changes = "named", example = "example.hcl")]
pub struct ShufflePreparer {
    /// The items to draw from.
    #[hcl(required, nonempty)]
    from: Vec<String>,
    /// The number of items to draw; the default is all.
    #[hcl(min = 1)]
    count: Option<u32>,
    /// Values that the order depends on: if one of them changes, another one is drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there is an order; `absent` forgets the stored one, so that `present` draws another.
    state: Ensure,
}

impl Validate for ShufflePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        match self.count {
            Some(count) if count as usize > self.from.len() => {
                let available = self.from.len();
                Err(vec![field_error!("count", "{count} items cannot be drawn from {available}")])
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
