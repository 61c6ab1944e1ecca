#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Block {
    #[hcl(required)]
    stream: std::net::TcpStream,
}

fn main() {}
