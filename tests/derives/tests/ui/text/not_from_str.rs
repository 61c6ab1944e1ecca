#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclText)]
struct Port(u16);

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

fn main() {}
