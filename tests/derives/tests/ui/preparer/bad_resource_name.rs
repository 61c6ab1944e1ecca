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

#[derive(Preparer)]
#[preparer(name = "case", task = Done)]
struct Case {}

resource!(Case);

#[derive(Preparer)]
#[preparer(name = "each.item", task = Done)]
struct Each {}

resource!(Each);

fn main() {}
