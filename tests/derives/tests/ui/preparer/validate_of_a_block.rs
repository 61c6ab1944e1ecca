#[path = "../support.rs"]
mod support;
use converge_core::value::FieldError;
use support::*;

#[derive(HclBlock)]
struct Times {
    /// The interval.
    interval: Option<u32>,
}

impl Validate for Times {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        Ok(())
    }
}

fn main() {}
