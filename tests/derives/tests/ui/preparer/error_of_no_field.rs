#[path = "../support.rs"]
mod support;
use converge_core::value::FieldError;
use support::*;

#[derive(HclBlock)]
struct Times {
    /// The interval.
    interval: Option<u32>,
}

#[derive(Preparer)]
#[preparer(name = "ports", task = Done, validate)]
struct Ports {
    /// The first.
    first: u16,
    /// The last.
    #[hcl(name = "final")]
    last: u16,
    #[hcl(embed)]
    times: Times,
}
resource!(Ports);

impl Validate for Ports {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = vec![field_error!("first", "too small"), field_error!("interval", "too long")];
        errors.push(field_error!("last", "the last port comes before {}", self.first));
        Err(errors)
    }
}

fn main() {}
