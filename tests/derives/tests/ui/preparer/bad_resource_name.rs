#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "File.owner", task = Done)]
struct Upper {}

resource!(Upper);

#[derive(Preparer)]
#[preparer(name = "file.", task = Done)]
struct Dot {}

resource!(Dot);

#[derive(Preparer)]
#[preparer(name = "", task = Done)]
struct Empty {}

resource!(Empty);

#[derive(Preparer)]
#[preparer(name = "web server", task = Done)]
struct Words {}

resource!(Words);

#[derive(Preparer)]
#[preparer(name = "param", task = Done)]
struct Reserved {}

resource!(Reserved);

fn main() {}
