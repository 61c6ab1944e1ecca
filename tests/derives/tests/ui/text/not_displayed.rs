#[path = "../support.rs"]
mod support;
use support::*;

// A field needs no `Display`; an export does.
#[derive(HclText)]
struct Port(u16);

impl std::str::FromStr for Port {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[derive(Export)]
struct Listens {
    /// The port to listen on.
    #[export]
    port: Port,
}

fn main() {}
