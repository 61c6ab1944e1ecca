#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
#[hcl(exactly_one = "token,usr", required)]
struct Auth {
    /// The token.
    token: Option<String>,
    /// The user.
    user: Option<String>,
}

fn main() {}
