#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclEnum)]
enum State {
    Present,
    #[hcl(name = "present")]
    Installed,
    #[hcl(alias = "present")]
    There,
}

fn main() {}
