#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclText)]
#[hcl(pattern = "^[0-9+$")]
struct Port(String);

#[derive(HclText)]
#[hcl(expects = "a port")]
struct Other(String);

fn main() {}
