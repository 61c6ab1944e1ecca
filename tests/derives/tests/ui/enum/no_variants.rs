#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclEnum)]
enum State {}

fn main() {}
