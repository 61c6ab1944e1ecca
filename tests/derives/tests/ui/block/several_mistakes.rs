#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Ipam {
    /// The subnet.
    #[hcl(requierd)]
    subnet: String,
    /// The range.
    #[hcl(requires = "gatewy")]
    pub range: Option<String>,
    /// The gateway.
    gateway: Option<String>,
}

fn from_value<T: FromValue>() {}

fn no_cascade() {
    from_value::<Ipam>();
}

fn main() {}
