#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclEnum)]
struct State {
    present: bool,
}

fn no_cascade(state: &State) -> &'static str {
    state.as_str()
}

fn main() {}
