#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    port: u16,
    #[hcl(valid_values = "tcp,udp")]
    protocol: String,
    #[hcl(required)]
    path: String,
    #[hcl(sensitive)]
    password: Secret<String>,
    #[hcl(required_if = "port=ssh, protocol=icmp, path, password=hunter2")]
    name: Option<String>,
}

resource!(Test);

fn main() {}
