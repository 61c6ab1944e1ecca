#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclText)]
struct Port(u16);

impl std::str::FromStr for Port {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

fn main() {}
