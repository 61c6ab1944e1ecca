#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The port.
    port: u16,
    /// The protocol.
    #[hcl(valid_values = "tcp,udp")]
    protocol: String,
    /// The path.
    #[hcl(required)]
    path: String,
    /// The password.
    #[hcl(sensitive)]
    password: Secret<String>,
    /// The name.
    #[hcl(required_if = "port=ssh, protocol=icmp, path, password=hunter2")]
    name: Option<String>,
}

resource!(Test);

fn main() {}
