#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclText)]
#[hcl(pattern = "^[0-9]+$")]
struct Port {
    number: String,
}

fn main() {}
