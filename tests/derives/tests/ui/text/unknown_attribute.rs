#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclText)]
#[hcl(patern = "^[0-9]+$")]
struct Port(String);

fn main() {}
