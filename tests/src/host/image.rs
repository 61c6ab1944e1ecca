//! The contents of disposable hosts.

use std::hash::Hasher;

/// The Debian release of the image.
pub const RELEASE: &str = "bookworm";

/// The packages of the image, in addition to a minimal Debian.
///
/// A scenario that needs more adds it here with a reason.
pub const PACKAGES: [&str; 27] = [
    // For hosts: units, D-Bus, and `ps`.
    "systemd",
    "systemd-sysv",
    "dbus",
    "procps",
    // For the `system` types: crontabs, modules, locales, firewall rules, capabilities.
    "cron",
    "kmod",
    "locales",
    "ufw",
    "firewalld",
    // Provides the package `logind` for the polkit of firewalld, because debootstrap only finds packages by
    // their own name.
    "libpam-systemd",
    "libcap2-bin",
    // The other package manager, with a downloader and a tool to create repositories.
    "rpm",
    "dnf",
    "createrepo-c",
    // One static file with a web server, a client and a shell, for the images in the registry.
    "busybox-static",
    // The registry, whose containers use the same image as the hosts.
    "docker-registry",
    // Checks sudo rules and creates SSH keys; Python is for `package.pip`.
    "sudo",
    "openssh-client",
    // A git repository on another machine for modules and `git.checkout`; the host serves itself.
    "git",
    "openssh-server",
    // The same over HTTPS: a web server that runs git's HTTP backend.
    "lighttpd",
    "lighttpd-mod-openssl",
    "openssl",
    "python3-pip",
    "python3-venv",
    // Ansible for comparisons, and the requirement of its cryptography package, which debootstrap does not
    // find by a virtual name.
    "ansible-core",
    "python3-cffi-backend",
];

/// The script that prevents background activity, especially programs that lock a package manager.
///
/// The script removes the settings and keys of the SSH server, so that firewall resources find no SSH access
/// to protect. It also removes files that no test reads.
pub const SETUP: &str = "\
systemctl disable docker-registry.service cron.service ufw.service firewalld.service ssh.service lighttpd.service
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer
systemctl mask getty@.service console-getty.service systemd-logind.service systemd-udevd.service
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/converge-test
rm -f /etc/ssh/sshd_config /etc/ssh/ssh_host_*
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
rm -rf /usr/share/doc /usr/share/man /usr/share/locale
";

/// The registry configuration, a file in the image of the hosts.
pub const REGISTRY_CONFIG: &str = "\
version: 0.1
log: {level: warn, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: /var/lib/docker-registry}}
http: {addr: ':5000'}
auth: {htpasswd: {realm: converge-test, path: /etc/converge-test/htpasswd}}
";

/// The users of a registry: one user with a bcrypt hash.
///
/// The user is [`USER`](super::registry::USER), and the password is [`PASSWORD`](super::registry::PASSWORD).
pub const REGISTRY_USERS: &str = "keeper:$2b$04$zq9aGx41Cig8ckDybhKlRee9ed76OYhmAiBg3CI1.rhj/g06TVs6G\n";

/// Returns the name of the image, with a tag that depends on its contents.
pub fn image() -> String {
    let files = [REGISTRY_CONFIG, REGISTRY_USERS];
    let tag = fingerprint([RELEASE, SETUP].into_iter().chain(PACKAGES).chain(files));
    format!("{REPOSITORY}:{tag}")
}

/// Returns a short hash of some texts.
pub(crate) fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for piece in parts {
        hash.write(piece.as_bytes());
        hash.write(b"\n");
    }
    format!("{:016x}", hash.finish())
}

/// The name of the image without its tag.
pub const REPOSITORY: &str = "converge-host";

/// An FNV-1a hasher, which is stable across versions of Rust.
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
