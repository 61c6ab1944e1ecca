#[path = "../support.rs"]
mod support;
use support::*;

struct Refused;

#[derive(HclText)]
struct Port(u16);

impl std::str::FromStr for Port {
    type Err = Refused;

    fn from_str(text: &str) -> std::result::Result<Self, Refused> {
        text.parse().map(Self).map_err(|_| Refused)
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

fn main() {}
