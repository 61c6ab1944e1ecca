#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The stream.
    #[export]
    stream: std::net::TcpStream,
}

fn main() {}
