#[path = "../support.rs"]
mod support;
use support::*;

/// A file.
#[derive(Preparer)]
#[preparer(name = "file.owner", task = Done)]
struct OwnerPreparer {
    /// The lines that the check found.
    #[hcl(skip, required)]
    found: Vec<String>,
}
resource!(OwnerPreparer);

fn main() {}
