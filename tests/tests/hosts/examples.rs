//! The module that shows a type in its documentation works: it is applied on a host, and a second time, when there is
//! nothing left to do.

use converge_core::Registry;
use converge_tests::host::{Host, Kind};

/// What the example of a type needs: a kind of host, and what makes it ready, which gives parameters.
struct Stage {
    kind: Kind,
    prepare: fn(&Host) -> Vec<String>,
}

/// Most examples need nothing but a machine.
const BARE: Stage = Stage { kind: Kind::Plain, prepare: |_| Vec::new() };

/// What needs a kernel of its own. Its examples are applied in a guest: see `lvm.rs`.
const IN_A_GUEST: [&str; 3] = ["filesystem", "lvm.logicalvolume", "lvm.volumegroup"];

fn stage(resource: &str) -> Stage {
    match resource {
        "systemd.unit.state" => Stage { kind: Kind::Systemd, ..BARE },
        "wait.port" => Stage { prepare: somebody_listens, ..BARE },
        _ => BARE,
    }
}

fn somebody_listens(host: &Host) -> Vec<String> {
    host.ok("busybox httpd -p 127.0.0.1:8080");
    vec!["port=8080".to_owned()]
}

#[test]
fn the_examples_of_all_types_work() {
    let language = Registry::new();
    let registry = converge_resources::registry().unwrap();
    let elsewhere = |name: &str| language.get(name).is_some() || IN_A_GUEST.contains(&name);
    let types: Vec<_> = registry.iter().filter(|known| !elsewhere(known.name())).collect();
    assert!(!types.is_empty());
    for known in types {
        let name = known.name();
        let Stage { kind, prepare } = stage(name);
        let test = format!("example_of_{}", name.replace('.', "_"));
        let Some(host) = Host::with(&test, kind, &[]) else { return };
        let params = prepare(&host);
        let arguments: Vec<&str> = params.iter().flat_map(|param| ["-p", param]).collect();
        let first = host.converge("apply", known.schema().example, &arguments);
        assert_eq!(first.code, Some(0), "{name}: {}", first.everything());
        host.nothing_to_do(known.schema().example, &arguments);
    }
}
