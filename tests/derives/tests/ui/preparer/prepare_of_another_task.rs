#[path = "../support.rs"]
mod support;
use support::*;

/// A file.
#[derive(Preparer)]
#[preparer(name = "file.owner", task = Done, prepare)]
struct OwnerPreparer {
    /// Path of the file.
    destination: String,
}
resource!(OwnerPreparer);

fn main() {}
