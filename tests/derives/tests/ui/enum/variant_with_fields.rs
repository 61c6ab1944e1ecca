#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclEnum)]
enum State {
    Present,
    Version(String),
    At { path: String },
}

fn no_cascade(state: &State) -> &'static str {
    state.as_str()
}

fn main() {}
