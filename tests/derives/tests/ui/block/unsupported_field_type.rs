#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Block {
    /// The stream.
    #[hcl(required)]
    stream: std::net::TcpStream,
}

fn main() {}
