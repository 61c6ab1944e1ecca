#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    stream: std::net::TcpStream,
    list: Vec<std::net::TcpStream>,
    optional: Option<std::net::TcpStream>,
    #[hcl(required)]
    required: std::net::TcpStream,
}

resource!(Test);

fn main() {}
