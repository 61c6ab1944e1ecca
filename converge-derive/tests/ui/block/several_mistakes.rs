#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Ipam {
    #[hcl(requierd)]
    subnet: String,
    #[hcl(requires = "gatewy")]
    pub range: Option<String>,
    gateway: Option<String>,
}

fn from_value<T: FromValue>() {}

fn no_cascade() {
    from_value::<Ipam>();
}

fn main() {}
