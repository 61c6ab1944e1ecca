#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclEnum)]
enum State {
    #[hcl(nme = "here")]
    Present,
    #[hcl(required)]
    Absent,
}

fn main() {}
