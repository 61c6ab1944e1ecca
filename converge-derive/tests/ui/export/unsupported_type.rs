#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[export]
    stream: std::net::TcpStream,
}

fn main() {}
