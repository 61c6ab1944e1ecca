//! What a machine with Linux says of itself in `/proc` and `/sys`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;

use crate::types::platform::{Mount, Platform};

/// No file is read further: the table of routes of a large router has a hundred times that.
const MOST: u64 = 1 << 20;

pub(super) fn detect(platform: &mut Platform) {
    platform.cpus = read("/sys/devices/system/cpu/online").and_then(|text| cpus(&text));
    platform.memory = read("/proc/meminfo").and_then(|text| memory(&text));
    platform.mounts = read("/proc/self/mountinfo").map(|text| mounts(&text)).unwrap_or_default();
    let (v4, v6) = (read("/proc/net/fib_trie"), read("/proc/net/if_inet6"));
    platform.addresses = addresses(&v4.unwrap_or_default(), &v6.unwrap_or_default());
    platform.virtualization = virtualization(&read, &|path| Path::new(path).exists()).to_owned();
    platform.init_system = init_system(&read, &|path| Path::new(path).exists()).to_owned();
}

fn read(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// How many are in `0-3,6`.
fn cpus(online: &str) -> Option<u32> {
    let count = |range: &str| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok()?);
        to.checked_sub(from)?.checked_add(1)
    };
    online.trim().split(',').map(count).try_fold(0_u32, |sum, count| sum.checked_add(count?))
}

/// The bytes of `MemTotal:  2048 kB`.
fn memory(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The lines of `proc_pid_mountinfo(5)`.
fn mounts(mountinfo: &str) -> Vec<Mount> {
    let mount = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(4);
        let (path, options) = (before.next()?, before.next()?);
        let mut after = after.split(' ');
        let (file_system, device) = (after.next()?, after.next()?);
        let mut mount = Mount::new(unescaped(path), unescaped(device));
        (mount.file_system, mount.options) = (file_system.to_owned(), options.to_owned());
        Some(mount)
    };
    mountinfo.lines().filter_map(mount).collect()
}

/// A text in which the kernel writes `\040` for a space.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('\\');
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        match part.get(..3).and_then(|octal| u8::from_str_radix(octal, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(part.get(3..).unwrap_or_default().as_bytes());
            }
            None => {
                bytes.push(b'\\');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The addresses of the machine that others may reach: neither those of the loopback nor of one link only.
fn addresses(fib_trie: &str, if_inet6: &str) -> Vec<String> {
    let mut v4: BTreeSet<Ipv4Addr> = BTreeSet::new();
    let mut at = None;
    for line in fib_trie.lines() {
        let line = line.trim();
        if let Some(address) = line.strip_prefix("|-- ") {
            at = address.parse::<Ipv4Addr>().ok();
        } else if line == "/32 host LOCAL" {
            v4.extend(at.filter(|address| !address.is_loopback() && !address.is_link_local()));
        }
    }
    let v6 = |line: &str| {
        let number = u128::from_str_radix(line.split_whitespace().next()?, 16).ok()?;
        Some(Ipv6Addr::from(number))
            .filter(|address| !address.is_loopback() && !address.is_unicast_link_local())
    };
    let v6: BTreeSet<Ipv6Addr> = if_inet6.lines().filter_map(v6).collect();
    v4.iter().map(ToString::to_string).chain(v6.iter().map(ToString::to_string)).collect()
}

type ReadText<'a> = &'a dyn Fn(&str) -> Option<String>;

type IsThere<'a> = &'a dyn Fn(&str) -> bool;

/// What vendors of machines that are none are called.
const VENDORS: [(&str, &str); 10] = [
    ("VMware", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("innotek", "virtualbox"),
    ("Xen", "xen"),
    ("QEMU", "qemu"),
    ("KVM", "kvm"),
    ("Amazon EC2", "kvm"),
    ("Google Compute Engine", "kvm"),
    ("OpenStack", "kvm"),
    ("Parallels", "parallels"),
];

fn virtualization<'a>(read: ReadText<'_>, is_there: IsThere<'_>) -> &'a str {
    // A container is nearer than the machine that it runs on.
    match read("/run/systemd/container").as_deref().map(str::trim) {
        Some("docker") => return "docker",
        Some("podman") => return "podman",
        Some("lxc") => return "lxc",
        Some("systemd-nspawn") => return "systemd-nspawn",
        Some(name) if !name.is_empty() => return "other",
        _ => {}
    }
    if is_there("/.dockerenv") {
        return "docker";
    }
    if is_there("/run/.containerenv") {
        return "podman";
    }
    if is_there("/dev/lxd/sock") {
        return "lxc";
    }
    let [vendor, product] = ["sys_vendor", "product_name"]
        .map(|name| read(&format!("/sys/class/dmi/id/{name}")).unwrap_or_default());
    if vendor.contains("Microsoft") && product.contains("Virtual") {
        return "hyperv";
    }
    let known = VENDORS.iter().find(|(word, _)| vendor.contains(word) || product.contains(word));
    if let Some((_, name)) = known {
        return name;
    }
    if read("/sys/hypervisor/type").is_some_and(|text| text.trim() == "xen") {
        return "xen";
    }
    let is_guest = read("/proc/cpuinfo").is_some_and(|text| {
        let flags = text.lines().find(|line| line.starts_with("flags"));
        flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
    });
    if is_guest { "other" } else { "none" }
}

fn init_system<'a>(read: ReadText<'_>, is_there: IsThere<'_>) -> &'a str {
    if is_there("/run/systemd/system") {
        return "systemd";
    }
    if is_there("/run/openrc") {
        return "openrc";
    }
    match read("/proc/1/comm").as_deref().map(str::trim) {
        Some("openrc-init") => "openrc",
        Some("init") => "sysvinit",
        Some("runit") => "runit",
        Some("s6-svscan") => "s6",
        _ => "none",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn processors() {
        for (text, expect) in [
            ("0\n", Some(1)),
            ("0-3\n", Some(4)),
            ("0-3,6,8-9\n", Some(7)),
            ("", None),
            ("3-0", None),
            ("0-4294967295", None),
            ("a-b", None),
        ] {
            assert_eq!(cpus(text), expect, "{text}");
        }
    }

    #[test]
    fn bytes_of_memory() {
        assert_eq!(memory("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(2048 * 1024));
        for wrong in ["", "MemTotal: x kB", "MemTotal: 18446744073709551615 kB", "MemTotal: 5"] {
            assert_eq!(memory(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_mounted() {
        let text = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
                    23 22 0:5 / /a\\040b\\134 ro - tmpfs none ro\n\
                    nonsense\n24 22 0:6 / /x rw -\n";
        let shown: Vec<String> = mounts(text)
            .iter()
            .map(|mount| format!("{} {} {} {}", mount.path, mount.device, mount.file_system, mount.options))
            .collect();
        assert_eq!(shown, ["/ /dev/sda1 ext4 rw,relatime", "/a b\\ none tmpfs ro"]);
        assert_eq!(unescaped("\\9\\"), "\\9\\");
    }

    #[test]
    fn addresses_that_others_reach() {
        let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 10.0.0.0\n        /24 link UNICAST\n     |-- 10.0.0.9\n        /32 host LOCAL\n\
                    Local:\n     |-- 10.0.0.9\n        /32 host LOCAL\n     |-- 10.0.0.255\n        /32 link BROADCAST\n\
                         |-- 127.0.0.1\n        /32 host LOCAL\n     |-- 9.1.1.1\n        /32 host LOCAL\n";
        let six = "00000000000000000000000000000001 01 80 10 80       lo\n\
                   fe80000000000000000000000000000a 02 40 20 80     eth0\n\
                   20010db8000000000000000000000001 02 40 00 80     eth0\nnonsense\n";
        assert_eq!(addresses(trie, six), ["9.1.1.1", "10.0.0.9", "2001:db8::1"]);
        assert!(addresses("", "").is_empty());
    }

    /// What is found where these files are.
    fn look(find: fn(ReadText<'_>, IsThere<'_>) -> &'static str, files: &[(&str, &str)]) -> &'static str {
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        find(&|path| files.get(path).map(ToString::to_string), &|path| files.contains_key(path))
    }

    #[test]
    fn what_it_runs_in() {
        let check = |files: &[(&str, &str)], expect: &str| {
            assert_eq!(look(virtualization, files), expect, "{files:?}");
        };
        check(&[], "none");
        check(&[("/.dockerenv", ""), ("/sys/class/dmi/id/sys_vendor", "QEMU\n")], "docker");
        check(&[("/run/.containerenv", "")], "podman");
        check(&[("/run/systemd/container", "lxc\n")], "lxc");
        check(&[("/run/systemd/container", "wsl\n")], "other");
        check(&[("/sys/class/dmi/id/sys_vendor", "QEMU\n")], "qemu");
        check(&[("/sys/class/dmi/id/product_name", "KVM\n")], "kvm");
        check(&[("/sys/class/dmi/id/product_name", "VirtualBox\n")], "virtualbox");
        let hyperv = ("/sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n");
        check(&[hyperv, ("/sys/class/dmi/id/product_name", "Virtual Machine\n")], "hyperv");
        check(&[hyperv, ("/sys/class/dmi/id/product_name", "Surface\n")], "none");
        check(&[("/sys/hypervisor/type", "xen\n")], "xen");
        check(&[("/proc/cpuinfo", "processor: 0\nflags : fpu hypervisor\n")], "other");
        check(&[("/proc/cpuinfo", "flags : fpu\nmodel name : hypervisor\n")], "none");
    }

    #[test]
    fn what_starts_everything() {
        let check = |files: &[(&str, &str)], expect: &str| {
            assert_eq!(look(init_system, files), expect, "{files:?}");
        };
        check(&[("/run/systemd/system", ""), ("/proc/1/comm", "systemd\n")], "systemd");
        check(&[("/run/openrc", ""), ("/proc/1/comm", "init\n")], "openrc");
        check(&[("/proc/1/comm", "init\n")], "sysvinit");
        check(&[("/proc/1/comm", "runit\n")], "runit");
        check(&[("/proc/1/comm", "s6-svscan\n")], "s6");
        check(&[("/proc/1/comm", "sleep\n")], "none");
        check(&[], "none");
    }
}
