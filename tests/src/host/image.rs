//! What disposable hosts are made of.

use std::hash::Hasher;

/// The Debian release of the image.
pub const RELEASE: &str = "bookworm";

/// What is in the image beside the smallest Debian. A story that needs more adds it here, with its reason.
pub const PACKAGES: [&str; 27] = [
    // The hosts: units, their bus, and `ps`.
    "systemd",
    "systemd-sysv",
    "dbus",
    "procps",
    // What the types of the family `system` ask: crontabs, modules, locales, rules of the firewall, capabilities.
    "cron",
    "kmod",
    "locales",
    "ufw",
    "firewalld",
    // What provides the package `logind`, which firewalld's polkit needs: debootstrap looks for packages by name alone.
    "libpam-systemd",
    "libcap2-bin",
    // The other package manager, what fetches packages for it, and what makes a repository of them.
    "rpm",
    "dnf",
    "createrepo-c",
    // One file that is a web server, a client and a shell: what the images of the registry are made of.
    "busybox-static",
    // The registry itself: its containers are made of the same image.
    "docker-registry",
    // What looks at rules of sudo and makes keys of SSH, and the Python of `package.pip`.
    "sudo",
    "openssh-client",
    // A repository on another machine, for modules and for `git.checkout`, as far as the host is that to itself.
    "git",
    "openssh-server",
    // The same over an encrypted connection: a server of the web that runs what git has for it.
    "lighttpd",
    "lighttpd-mod-openssl",
    "openssl",
    "python3-pip",
    "python3-venv",
    // What modules are compared with, and what its cryptography needs: debootstrap looks for packages by name alone.
    "ansible-core",
    "python3-cffi-backend",
];

/// Makes it quiet: nothing may begin on its own, least of all something that holds the lock of a package manager.
/// Nobody is to be locked out of a host, so there are neither settings nor keys of an SSH server. Then it leaves out what no test reads.
pub const SETUP: &str = "\
systemctl disable docker-registry.service cron.service ufw.service firewalld.service ssh.service lighttpd.service
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer
systemctl mask getty@.service console-getty.service systemd-logind.service systemd-udevd.service
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/converge-test
rm -f /etc/ssh/sshd_config /etc/ssh/ssh_host_*
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
rm -rf /usr/share/doc /usr/share/man /usr/share/locale
";

/// The configuration of a registry, a file of the image of the hosts.
pub const REGISTRY_CONFIG: &str = "\
version: 0.1
log: {level: warn, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: /var/lib/docker-registry}}
http: {addr: ':5000'}
auth: {htpasswd: {realm: converge-test, path: /etc/converge-test/htpasswd}}
";

/// Whom a registry knows: [`USER`](super::registry::USER), with the bcrypt hash of
/// [`PASSWORD`](super::registry::PASSWORD).
pub const REGISTRY_USERS: &str = "keeper:$2b$04$zq9aGx41Cig8ckDybhKlRee9ed76OYhmAiBg3CI1.rhj/g06TVs6G\n";

/// The name of the image, with a tag that is another one when what it is made of is changed.
pub fn image() -> String {
    let files = [REGISTRY_CONFIG, REGISTRY_USERS];
    let tag = fingerprint([RELEASE, SETUP].into_iter().chain(PACKAGES).chain(files));
    format!("{REPOSITORY}:{tag}")
}

/// A short name for all that something is made of.
pub(crate) fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for part in parts {
        hash.write(part.as_bytes());
        hash.write(b"\n");
    }
    format!("{:016x}", hash.finish())
}

/// The name of the image, without its tag.
pub const REPOSITORY: &str = "converge-host";

/// FNV-1a, which is the same in every version of Rust.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
