//! `random.integer`: a number that is drawn once and stays.

mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_core::field_error;
use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Integer;

use super::drawn_value::Keeping;

/// A whole number that is drawn once and stays, such as the minute at which a machine does what many others do too.
///
/// It is drawn by the first apply, and kept in the state of the run. A plan shows it as *(known after apply)* until then.
///
/// # Guarantees
///
/// Each number from `min` to `max` is as likely as any other. It stays while it is one of them, and until `keepers` change.
///
/// # Caveats
///
/// It belongs to the file of the root module and to the id of the resource. It stays in the state when the resource is taken out of the module;
/// `state = "absent"` forgets it first.
#[derive(Debug, Preparer)]
#[preparer(name = "random.integer", task = Integer, validate, reads = "named", changes = "named", example = "example.hcl")]
pub struct IntegerPreparer {
    /// The smallest number that it may be.
    #[hcl(required)]
    min: i64,
    /// The largest number that it may be.
    #[hcl(required)]
    max: i64,
    /// What the number is for: when one of these values changes, another one is drawn.
    keepers: BTreeMap<String, String>,
    /// Whether there is a number; `absent` forgets the one that is kept, so that `present` draws another.
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
