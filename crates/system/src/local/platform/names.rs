//! Detection of the kernel and the host names.

#[cfg(unix)]
use super::text::text_of;
use crate::types::platform::Platform;

pub(super) fn read(platform: &mut Platform) {
    std::env::consts::ARCH.clone_into(&mut platform.architecture);
    #[cfg(unix)]
    {
        let machine = rustix::system::uname();
        let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        // For a 32-bit program this is the architecture that the kernel emulates.
        platform.architecture = text(machine.machine());
        platform.kernel = text(machine.release());
        let hosts = text_of("/etc/hosts").unwrap_or_default();
        set_names(platform, &text(machine.nodename()), &hosts);
    }
}

/// Sets the host name, and the full name that `hosts` has for it.
#[cfg(unix)]
fn set_names(platform: &mut Platform, name: &str, hosts: &str) {
    let short = name.split('.').next().unwrap_or_default();
    short.clone_into(&mut platform.hostname);
    let long = if name.contains('.') { Some(name) } else { name_in(hosts, name) };
    long.unwrap_or(name).clone_into(&mut platform.fqdn);
}

/// Returns the first name with a dot in a line that contains this name.
#[cfg(unix)]
fn name_in<'a>(hosts: &'a str, name: &str) -> Option<&'a str> {
    let line = |line: &'a str| {
        let mut names = line.split('#').next()?.split_whitespace().skip(1);
        names.clone().any(|other| other == name).then(|| names.find(|other| other.contains('.')))?
    };
    if name.is_empty() { None } else { hosts.lines().find_map(line) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, hosts: &str, expect: [&str; 2]| {
            let mut platform = Platform::default();
            set_names(&mut platform, name, hosts);
            assert_eq!([&*platform.hostname, &*platform.fqdn], expect, "{name} {hosts:?}");
        };
        let hosts =
            "127.0.0.1 localhost\n# 10.0.0.9 no.example web\n127.0.1.1\tweb.example.org web # web.no\n";
        check("web", hosts, ["web", "web.example.org"]);
        check("web.example.net", hosts, ["web", "web.example.net"]);
        check("db", hosts, ["db", "db"]);
        check("localhost", hosts, ["localhost", "localhost"]);
        check("", hosts, ["", ""]);
        check("10.0.0.9", "10.0.0.9", ["10", "10.0.0.9"]);
    }

    #[test]
    fn this_machine_has_a_kernel() {
        let mut platform = Platform::default();
        read(&mut platform);
        assert!(!platform.kernel.is_empty() && !platform.architecture.is_empty(), "{platform:?}");
    }
}
