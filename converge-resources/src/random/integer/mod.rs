//! The `random.integer` resource: a number that is drawn once and kept.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::field_error;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Integer;

use super::drawn_value::Keeping;

/// Draws a whole number and keeps it, for example the minute of a daily job.
///
/// Different numbers spread the work of many machines. The first apply draws the number, and stores it in the
/// state of the run. Until then, a plan shows it as *(known after apply)*.
///
/// # Guarantees
///
/// All numbers from `min` to `max` are equally likely. The number stays as long as it is in that range, and
/// until `keepers` change.
///
/// # Caveats
///
/// The value belongs to the file of the root module and to the id of the resource. It stays in the state if
/// the resource is removed from the module; use `state = "absent"` first to forget it.
#[derive(Debug, Preparer)]
#[preparer(name = "random.integer", task = Integer, validate, reads = "named", changes = "named", example = "example.hcl")]
pub struct IntegerPreparer {
    /// The smallest possible number.
    #[hcl(required)]
    min: i64,
    /// The largest possible number.
    #[hcl(required)]
    max: i64,
    /// Values that the number depends on: if one of them changes, another one is drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there is a number; `absent` forgets the stored one, so that `present` draws another.
    state: Ensure,
}

impl Validate for IntegerPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        if self.min <= self.max {
            return Ok(());
        }
        Err(vec![field_error!("max", "{} is less than `min`, which is {}", self.max, self.min)])
    }
}

impl Resource for IntegerPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Integer> {
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Integer { value: None, min: self.min, max: self.max, keeping })
    }
}
