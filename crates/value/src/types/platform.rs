//! Facts about a machine: its operating system, distribution and hardware.

use crate::types::value::Value;

/// The facts about a machine that modules read as `platform.family` or `{{platform.Family}}`.
///
/// The facts are collected once at the start of a run and stay the same until it ends. The plan and the apply
/// of one run therefore see the same facts, whatever a resource changes. A fact that the system does not
/// provide is empty or 0.
///
/// ```
/// use converge_core::system::Platform;
///
/// let mut platform = Platform::new("linux");
/// platform.linux_distribution = "rocky".into();
/// platform.linux_lsb_like = "rhel centos fedora".into();
/// platform.version = "9.4".into();
/// assert_eq!((platform.family(), platform.major_version()), ("redhat", "9"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Platform {
    /// The operating system: `linux` or `darwin`.
    pub os: String,
    /// The name of the distribution: `Debian GNU/Linux`.
    pub name: String,
    /// The name with the version, for people.
    pub pretty_name: String,
    /// The version of the distribution: `12`.
    pub version: String,
    /// The build, if the system has one.
    pub build: String,
    /// The id of the distribution: `debian`.
    pub linux_distribution: String,
    /// The ids of similar distributions, separated by spaces: `rhel fedora`.
    pub linux_lsb_like: String,
    /// The code name of the version: `bookworm`.
    pub codename: String,
    /// The processor architecture as named by the kernel: `x86_64`, `aarch64`.
    pub architecture: String,
    /// The release of the kernel: `6.1.0-18-amd64`.
    pub kernel: String,
    /// The name of the machine, up to its first dot.
    pub hostname: String,
    /// The name of the machine with its domain.
    ///
    /// If the name itself has no dot, the first name with a dot that `/etc/hosts` lists for the machine is
    /// used. Otherwise the name stays as it is.
    pub fqdn: String,
    /// The address from which the machine reaches others.
    ///
    /// It is an IPv4 address, or an IPv6 address if there is no IPv4 route.
    pub address: String,
    /// The network interface that has `address`.
    pub interface: String,
    /// The default IPv4 gateway.
    pub gateway: String,
    /// The addresses of all interfaces, IPv4 first, without loopback and link-local addresses.
    pub addresses: Vec<String>,
    /// The names of the network interfaces, without the loopback.
    pub interfaces: Vec<String>,
    /// The number of processors that the kernel uses.
    pub cpus: u32,
    /// The memory available to the kernel, in MiB.
    pub memory_mib: u64,
    /// The swap space, in MiB.
    pub swap_mib: u64,
    /// The mounted file systems of devices and of other machines.
    pub mounts: Vec<PlatformMount>,
    /// The hypervisor or container runtime of the machine.
    ///
    /// Hypervisors are `kvm`, `vmware`, `virtualbox`, `xen`, `hyperv` and others.
    ///
    /// The value is `docker`, `podman`, `lxc` or similar in a container, and `none` on physical hardware.
    pub virtualization: String,
    /// The init system: `systemd`, `openrc`, `sysvinit`, or the name of the first process.
    pub init_system: String,
    /// The `SELinux` mode: `enforcing`, `permissive`, or `disabled` also if the kernel has no `SELinux`.
    pub selinux: String,
}

/// A mounted file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct PlatformMount {
    /// The mount point.
    pub path: String,
    /// The device, or `host:/path`.
    pub source: String,
    /// The type of the file system: `ext4`.
    pub fstype: String,
    /// The mount options: `rw`, `noexec`.
    pub options: Vec<String>,
}

impl PlatformMount {
    /// Creates a mount without options.
    pub fn new(path: impl Into<String>, source: impl Into<String>, fstype: impl Into<String>) -> Self {
        Self { path: path.into(), source: source.into(), fstype: fstype.into(), options: Vec::new() }
    }
}

/// The families of distributions, each with the ids of its members.
///
/// The id of a distribution is looked up first, then the ids of similar ones, the closest first.
const FAMILIES: [(&str, &[&str]); 6] = [
    ("debian", &["debian", "ubuntu", "raspbian", "linuxmint", "devuan", "kali"]),
    ("redhat", &["rhel", "fedora", "centos", "rocky", "almalinux", "amzn", "ol", "scientific", "cloudlinux"]),
    ("suse", &["suse", "opensuse", "opensuse-leap", "opensuse-tumbleweed", "sles", "sled"]),
    ("arch", &["arch", "archarm", "manjaro"]),
    ("alpine", &["alpine"]),
    ("gentoo", &["gentoo"]),
];

/// A fact that modules read from `platform`.
struct Fact {
    name: &'static str,
    /// The name in templates, as in the original Converge.
    template: &'static str,
    get: fn(&Platform) -> Value,
}

const fn fact(name: &'static str, template: &'static str, get: fn(&Platform) -> Value) -> Fact {
    Fact { name, template, get }
}

const FACTS: [Fact; Platform::COUNT] = [
    fact("os", "OS", |p| text(&p.os)),
    fact("name", "Name", |p| text(&p.name)),
    fact("pretty_name", "PrettyName", |p| text(&p.pretty_name)),
    fact("version", "Version", |p| text(&p.version)),
    fact("build", "Build", |p| text(&p.build)),
    fact("linux_distribution", "LinuxDistribution", |p| text(&p.linux_distribution)),
    fact("linux_lsb_like", "LinuxLSBLike", |p| text(&p.linux_lsb_like)),
    fact("family", "Family", |p| text(p.family())),
    fact("distribution", "Distribution", |p| text(&p.linux_distribution)),
    fact("major_version", "MajorVersion", |p| text(p.major_version())),
    fact("codename", "Codename", |p| text(&p.codename)),
    fact("architecture", "Architecture", |p| text(&p.architecture)),
    fact("kernel", "Kernel", |p| text(&p.kernel)),
    fact("hostname", "Hostname", |p| text(&p.hostname)),
    fact("fqdn", "FQDN", |p| text(&p.fqdn)),
    fact("address", "Address", |p| text(&p.address)),
    fact("interface", "Interface", |p| text(&p.interface)),
    fact("gateway", "Gateway", |p| text(&p.gateway)),
    fact("addresses", "Addresses", |p| texts(&p.addresses)),
    fact("interfaces", "Interfaces", |p| texts(&p.interfaces)),
    fact("cpus", "CPUs", |p| Value::Int(p.cpus.into())),
    fact("memory_mib", "MemoryMiB", |p| number(p.memory_mib)),
    fact("swap_mib", "SwapMiB", |p| number(p.swap_mib)),
    fact("mounts", "Mounts", |p| Value::List(p.mounts.iter().map(mount).collect())),
    fact("virtualization", "Virtualization", |p| text(&p.virtualization)),
    fact("init_system", "InitSystem", |p| text(&p.init_system)),
    fact("selinux", "SELinux", |p| text(&p.selinux)),
];

impl Platform {
    pub(crate) const COUNT: usize = 27;

    /// The number of facts of the original Converge, which are printed for the whole platform.
    #[doc(hidden)]
    pub const ORIGINAL: usize = 7;

    #[doc(hidden)]
    pub const NONE: &'static Self = &Self {
        os: String::new(),
        name: String::new(),
        pretty_name: String::new(),
        version: String::new(),
        build: String::new(),
        linux_distribution: String::new(),
        linux_lsb_like: String::new(),
        codename: String::new(),
        architecture: String::new(),
        kernel: String::new(),
        hostname: String::new(),
        fqdn: String::new(),
        address: String::new(),
        interface: String::new(),
        gateway: String::new(),
        addresses: Vec::new(),
        interfaces: Vec::new(),
        cpus: 0,
        memory_mib: 0,
        swap_mib: 0,
        mounts: Vec::new(),
        virtualization: String::new(),
        init_system: String::new(),
        selinux: String::new(),
    };

    /// Creates a platform of which only the operating system is known.
    pub fn new(os: impl Into<String>) -> Self {
        Self { os: os.into(), ..Self::default() }
    }

    /// Returns the family of the distribution, which determines the names of packages and services.
    ///
    /// The families are `debian`, `redhat`, `suse`, `arch`, `alpine` and `gentoo`. A distribution outside
    /// these families returns its id, and a system other than Linux its name.
    pub fn family(&self) -> &str {
        let mut ids =
            std::iter::once(&*self.linux_distribution).chain(self.linux_lsb_like.split_whitespace());
        let family = |id: &str| FAMILIES.iter().find(|(_, ids)| ids.contains(&id)).map(|(family, _)| *family);
        let name = if self.linux_distribution.is_empty() { &self.os } else { &self.linux_distribution };
        ids.find_map(family).unwrap_or(name)
    }

    /// Returns the version up to its first dot: `9` of `9.4`.
    pub fn major_version(&self) -> &str {
        self.version.split('.').next().unwrap_or_default()
    }

    /// The names of the facts in expressions, by index.
    #[doc(hidden)]
    pub const FIELDS: [&str; Self::COUNT] = {
        let mut names = [""; Self::COUNT];
        let mut place = 0;
        while place < Self::COUNT {
            names[place] = FACTS[place].name;
            place += 1;
        }
        names
    };

    /// The names of the facts in templates, by index; templates accept the names of expressions too.
    #[doc(hidden)]
    pub const TEMPLATE_FIELDS: [&str; Self::COUNT] = {
        let mut names = [""; Self::COUNT];
        let mut place = 0;
        while place < Self::COUNT {
            names[place] = FACTS[place].template;
            place += 1;
        }
        names
    };

    /// Returns the index of a fact named in a template, with either form of its name.
    #[doc(hidden)]
    pub fn template_place(name: &str) -> Option<usize> {
        FACTS.iter().position(|fact| fact.template == name || fact.name == name)
    }

    /// Returns the index of a fact named in an expression; names for templates are accepted too.
    #[doc(hidden)]
    pub fn place(name: &str) -> Option<usize> {
        let normalize = |text: &str| text.replace('_', "").to_ascii_lowercase();
        FACTS.iter().position(|fact| normalize(fact.name) == normalize(name))
    }

    /// Returns the value of the fact at an index.
    #[doc(hidden)]
    pub fn value(&self, place: usize) -> Value {
        FACTS.get(place).map_or(Value::Null, |fact| (fact.get)(self))
    }
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn texts(texts: &[String]) -> Value {
    Value::List(texts.iter().map(|item| text(item)).collect())
}

fn number(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn mount(mount: &PlatformMount) -> Value {
    Value::from([
        ("path", text(&mount.path)),
        ("source", text(&mount.source)),
        ("fstype", text(&mount.fstype)),
        ("options", texts(&mount.options)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families() {
        let check = |id: &str, like: &str, expect: &str| {
            let platform = Platform {
                linux_distribution: id.into(),
                linux_lsb_like: like.into(),
                ..Platform::new("linux")
            };
            assert_eq!(platform.family(), expect, "{id} {like}");
        };
        check("debian", "", "debian");
        check("ubuntu", "debian", "debian");
        check("pop", "ubuntu debian", "debian");
        check("rocky", "rhel centos fedora", "redhat");
        check("amzn", "fedora", "redhat");
        check("opensuse-leap", "suse opensuse", "suse");
        check("alpine", "", "alpine");
        check("nixos", "", "nixos");
        check("", "", "linux");
    }

    #[test]
    fn major_versions() {
        for (version, expect) in [("12", "12"), ("9.4", "9"), ("20240807", "20240807"), ("", "")] {
            assert_eq!(Platform { version: version.into(), ..Platform::default() }.major_version(), expect);
        }
    }

    #[test]
    fn each_field_has_one_name_and_is_found_by_it() {
        for (place, (name, template)) in
            Platform::FIELDS.into_iter().zip(Platform::TEMPLATE_FIELDS).enumerate()
        {
            assert_eq!(Platform::place(name), Some(place), "{name}");
            assert_eq!(Platform::place(template), Some(place), "{template}");
            assert_eq!(Platform::template_place(name), Some(place), "{name}");
            assert_eq!(Platform::template_place(template), Some(place), "{template}");
        }
        assert_eq!(Platform::template_place("Os"), None);
    }
}
