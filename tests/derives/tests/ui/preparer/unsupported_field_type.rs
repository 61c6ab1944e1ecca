#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The stream.
    stream: std::net::TcpStream,
    /// The list.
    list: Vec<std::net::TcpStream>,
    /// The optional.
    optional: Option<std::net::TcpStream>,
    /// The required.
    #[hcl(required)]
    required: std::net::TcpStream,
}

resource!(Test);

fn main() {}
