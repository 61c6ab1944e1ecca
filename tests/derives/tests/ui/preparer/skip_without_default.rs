#[path = "../support.rs"]
mod support;
use support::*;

struct Connection;

/// A file.
#[derive(Preparer)]
#[preparer(name = "file.owner", task = Done)]
struct OwnerPreparer {
    /// The connection that the check opened.
    #[hcl(skip)]
    connection: Connection,
}
resource!(OwnerPreparer);

fn main() {}
