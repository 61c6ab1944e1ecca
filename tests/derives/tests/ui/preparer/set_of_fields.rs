#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, exactly_one = "user,uid", at_most_one = "team")]
#[preparer(at_least_one = "team,taem", all_or_none = "state,port")]
struct Test {
    /// The user.
    #[hcl(default = "root")]
    user: Option<String>,
    /// The uid.
    uid: Option<u32>,
    /// The team.
    #[hcl(exactly_one = "team,user")]
    team: Option<String>,
    /// The state.
    #[hcl(required)]
    state: String,
    /// The port.
    port: Option<u16>,
}

resource!(Test);

fn main() {}
