//! Tests of the example module in the documentation of each type.
//!
//! It is applied on a host twice, and the second apply has nothing to do.

use std::path::Path;

use converge_tests::host::{Host, Kind};
use converge_tests::root;

/// The environment in which an example is applied.
enum Stage {
    /// A fresh host of this kind.
    On(Kind),
    /// A scenario in this file that prepares what the example needs.
    InStory(&'static str),
}

fn stage(resource: &str) -> Stage {
    match resource {
        name if name.starts_with("docker.") => Stage::InStory("docker/mod.rs"),
        name if name.starts_with("lvm.") => Stage::InStory("disks_and_boots/disks.rs"),
        "filesystem" => Stage::InStory("disks_and_boots/disks.rs"),
        name if name.starts_with("firewall.") => Stage::InStory("firewall.rs"),
        "git.checkout" => Stage::InStory("git.rs"),
        "http.request" => Stage::InStory("net.rs"),
        "package.apt" | "package.install" => Stage::InStory("package.rs"),
        "package.pip" => Stage::InStory("package_pip.rs"),
        "package.rpm" => Stage::InStory("package_rpm.rs"),
        "system.reboot" => Stage::InStory("disks_and_boots/boots.rs"),
        "system.hostname" | "system.sysctl" => Stage::InStory("system.rs"),
        "system.kernel_module" | "system.swap" => Stage::InStory("disks_and_boots/disks.rs"),
        "system.mount" | "systemd.query" | "systemd.unit.file" | "systemd.unit.state" => {
            Stage::On(Kind::Systemd)
        }
        _ => Stage::On(Kind::Plain),
    }
}

#[test]
fn the_examples_of_all_types_work() {
    let registry = converge_resources::registry().unwrap();
    let types: Vec<_> = registry.iter().collect();
    assert!(types.iter().any(|entry| entry.name() == "file.content"), "{types:?}");
    for entry in types {
        let (name, example) = (entry.name(), entry.schema().example);
        match stage(name) {
            Stage::On(kind) => {
                let Some(host) = Host::with(&format!("example_of_{}", name.replace('.', "_")), kind, &[])
                else {
                    return;
                };
                let first = host.converge("apply", example, &[]);
                assert_eq!(first.code, Some(0), "{name}: {}", first.everything());
                host.nothing_to_do(example, &[]);
            }
            Stage::InStory(file) => {
                let path = root().join(Path::new("tests/tests/hosts").join(file));
                let story = std::fs::read_to_string(&path).unwrap();
                let applies = ["example.hcl", ".example"].iter().any(|word| story.contains(word));
                assert!(applies, "{}: it does not apply the example of {name}", path.display());
            }
        }
    }
}
