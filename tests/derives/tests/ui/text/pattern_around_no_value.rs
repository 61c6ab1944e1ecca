#[path = "../support.rs"]
mod support;
use support::*;

struct Inner;

#[derive(HclText)]
#[hcl(pattern = "^[0-9]+$")]
struct Port(Inner);

fn main() {}
