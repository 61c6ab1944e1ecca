//! A function for modules with an argument that is not a value of the language.

use converge_core::value::ModuleFunction;

struct Host;

fn main() {
    let _ = ModuleFunction::pure("fleet_ip", "The address of a host.", |host: Host| {
        drop(host);
        "10.0.0.1".to_owned()
    });
}
