//! Detection of virtualization, containers and the init system.

use std::path::Path;

use super::text::{line_of, text_of};

/// The files that identify containers, with the name of their engine.
const CONTAINERS: [(&str, &str); 3] =
    [("/run/.containerenv", "podman"), ("/.dockerenv", "docker"), ("/proc/vz", "openvz")];

/// The lower-case firmware strings that identify a hypervisor.
///
/// The first match counts.
const FIRMWARE: [(&str, &str); 17] = [
    ("vmware", "vmware"),
    ("virtualbox", "virtualbox"),
    ("innotek", "virtualbox"),
    ("parallels", "parallels"),
    ("bhyve", "bhyve"),
    ("xen", "xen"),
    ("microsoft corporation virtual machine", "hyperv"),
    ("apple virtualization", "apple"),
    ("qemu", "kvm"),
    ("kvm", "kvm"),
    ("amazon ec2", "kvm"),
    ("google compute engine", "kvm"),
    ("openstack", "kvm"),
    ("digitalocean", "kvm"),
    ("hetzner", "kvm"),
    ("rhev", "kvm"),
    ("ovirt", "kvm"),
];

pub(super) fn virtualization() -> String {
    let container =
        CONTAINERS.iter().find(|(path, _)| is_there(path)).map(|(_, engine)| (*engine).to_owned());
    // An engine that starts systemd writes its own name to this file.
    let by_container_file = || line_of("/run/systemd/container");
    let kernel = || {
        let release = line_of("/proc/sys/kernel/osrelease")?;
        release.to_ascii_lowercase().contains("microsoft").then(|| "wsl".to_owned())
    };
    let firmware = || {
        let dmi_field = |name: &str| line_of(&format!("/sys/class/dmi/id/{name}")).unwrap_or_default();
        by_firmware(&dmi_field("sys_vendor"), &dmi_field("product_name"))
    };
    let hypervisor = || line_of("/sys/hypervisor/type");
    let metal = || if cfg!(target_os = "linux") { "none".to_owned() } else { String::new() };
    by_container_file()
        .or(container)
        .or_else(kernel)
        .or_else(firmware)
        .or_else(hypervisor)
        .unwrap_or_else(metal)
}

fn by_firmware(vendor: &str, product: &str) -> Option<String> {
    let text = format!("{vendor} {product}").to_ascii_lowercase();
    // Amazon also rents out bare-metal machines.
    if text.contains(".metal") {
        return None;
    }
    FIRMWARE.iter().find(|(words, _)| text.contains(words)).map(|(_, kind)| (*kind).to_owned())
}

pub(super) fn init_system() -> String {
    if is_there("/run/systemd/system") {
        return "systemd".to_owned();
    }
    if is_there("/run/openrc") {
        return "openrc".to_owned();
    }
    match line_of("/proc/1/comm") {
        Some(name) if name == "init" => "sysvinit".to_owned(),
        name => name.unwrap_or_default(),
    }
}

pub(super) fn selinux() -> String {
    let mode = text_of("/sys/fs/selinux/enforce");
    match mode.as_deref().map(str::trim) {
        Some("1") => "enforcing",
        Some("0") => "permissive",
        _ if cfg!(target_os = "linux") => "disabled",
        _ => "",
    }
    .to_owned()
}

fn is_there(path: &str) -> bool {
    Path::new(path).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firmware() {
        for (vendor, product, expect) in [
            ("QEMU", "Standard PC (Q35 + ICH9, 2009)", Some("kvm")),
            ("VMware, Inc.", "VMware Virtual Platform", Some("vmware")),
            ("innotek GmbH", "VirtualBox", Some("virtualbox")),
            ("Microsoft Corporation", "Virtual Machine", Some("hyperv")),
            ("Microsoft Corporation", "Surface Laptop", None),
            ("Amazon EC2", "t3.micro", Some("kvm")),
            ("Amazon EC2", "m5.metal", None),
            ("Xen", "HVM domU", Some("xen")),
            ("Dell Inc.", "PowerEdge R740", None),
            ("", "", None),
        ] {
            assert_eq!(by_firmware(vendor, product).as_deref(), expect, "{vendor} {product}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine() {
        assert!(!virtualization().is_empty());
        assert!(["enforcing", "permissive", "disabled"].contains(&&*selinux()));
    }
}
