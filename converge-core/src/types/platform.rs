//! What a machine runs, and what it is made of.

use crate::types::value::Value;

/// The machine: its operating system, its distribution, and what it is made of, as templates see it (`{{platform.OS}}`).
///
/// What is not known is empty. Of the local machine all of it is what was so when the system was first asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "plugin", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "plugin", serde(default))]
pub struct Platform {
    /// `linux` or `darwin`.
    pub os: String,
    /// Name of the distribution: `Debian GNU/Linux`.
    pub name: String,
    /// Name with version, for people.
    pub pretty_name: String,
    /// Version: `12`.
    pub version: String,
    /// Build, where there is one.
    pub build: String,
    /// Id of the distribution: `debian`.
    pub linux_distribution: String,
    /// Ids of what it is like, separated by spaces: `rhel fedora`.
    pub linux_lsb_like: String,
    /// What its processors are, as the kernel calls it: `x86_64`, `aarch64`.
    pub architecture: String,
    /// Release of the kernel: `6.1.0-18-amd64`.
    pub kernel: String,
    /// Name that the machine has for itself.
    pub host_name: String,
    /// Its addresses, but for those that nobody else can reach: of IPv4 first, and sorted.
    pub addresses: Vec<String>,
    /// How many processors it works with.
    pub cpus: Option<u32>,
    /// How much memory it has, in bytes.
    pub memory: Option<u64>,
    /// What is mounted, in the order in which that was done.
    pub mounts: Vec<Mount>,
    /// What it runs in: a container (`docker`, `podman`, `lxc`, `systemd-nspawn`), a virtual machine (`qemu`, `kvm`, `vmware`, `virtualbox`, `hyperv`, `xen`), one
    /// that does not say (`other`), or `none`.
    pub virtualization: String,
    /// What starts everything else: `systemd`, `openrc`, `sysvinit`, `runit`, `s6`, `launchd`, or `none`.
    pub init_system: String,
}

/// Something that is mounted on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "plugin", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "plugin", serde(default))]
pub struct Mount {
    /// Where.
    pub path: String,
    /// What: a device, a name, or the path on a server.
    pub device: String,
    /// Type of the file system: `ext4`.
    pub file_system: String,
    /// Options, separated by commas.
    pub options: String,
}

/// Families, by the ids of distributions and of what they are like.
const FAMILIES: [(&str, &[&str]); 6] = [
    ("debian", &["debian", "ubuntu"]),
    ("redhat", &["rhel", "fedora", "centos", "rocky", "almalinux", "ol", "amzn"]),
    ("suse", &["suse", "opensuse", "sles", "opensuse-leap", "opensuse-tumbleweed"]),
    ("arch", &["arch"]),
    ("alpine", &["alpine"]),
    ("gentoo", &["gentoo"]),
];

/// How many fields modules see.
const COUNT: usize = 18;

/// How many of them stand in what `{{platform}}` prints as a whole, which is what it was in the original.
#[cfg(feature = "engine")]
pub(crate) const PRINTED: usize = 7;

impl Platform {
    /// One of which nothing is known.
    pub(crate) const NONE: &'static Self = &Self {
        os: String::new(),
        name: String::new(),
        pretty_name: String::new(),
        version: String::new(),
        build: String::new(),
        linux_distribution: String::new(),
        linux_lsb_like: String::new(),
        architecture: String::new(),
        kernel: String::new(),
        host_name: String::new(),
        addresses: Vec::new(),
        cpus: None,
        memory: None,
        mounts: Vec::new(),
        virtualization: String::new(),
        init_system: String::new(),
    };

    /// A platform of which only the operating system is known.
    pub fn new(os: impl Into<String>) -> Self {
        Self { os: os.into(), ..Self::default() }
    }

    /// The distributions that this one is like: `debian`, `redhat`, `suse`, `arch`, `alpine`, `gentoo`. One that is like none of them is its own family, and so is
    /// an operating system without distributions.
    ///
    /// ```
    /// use converge_core::system::Platform;
    ///
    /// let mut platform = Platform::new("linux");
    /// platform.linux_distribution = "rocky".to_owned();
    /// platform.linux_lsb_like = "rhel centos fedora".to_owned();
    /// assert_eq!(platform.family(), "redhat");
    /// ```
    pub fn family(&self) -> &str {
        let mut ids =
            std::iter::once(&*self.linux_distribution).chain(self.linux_lsb_like.split_whitespace());
        let known = ids.find_map(|id| FAMILIES.iter().find(|(_, members)| members.contains(&id)));
        match known {
            Some((family, _)) => family,
            None if self.linux_distribution.is_empty() => &self.os,
            None => &self.linux_distribution,
        }
    }

    /// The version up to its first dot: `12`.
    pub fn major_version(&self) -> &str {
        self.version.split('.').next().unwrap_or_default()
    }

    /// The names of the fields, in the order of [`values`](Self::values).
    pub(crate) const FIELDS: [&str; COUNT] = [
        "os",
        "name",
        "pretty_name",
        "version",
        "build",
        "linux_distribution",
        "linux_lsb_like",
        "family",
        "major_version",
        "architecture",
        "kernel",
        "host_name",
        "addresses",
        "cpus",
        "memory",
        "mounts",
        "virtualization",
        "init_system",
    ];

    /// The names of the fields, as templates spell them.
    pub(crate) const TEMPLATE_FIELDS: [&str; COUNT] = [
        "OS",
        "Name",
        "PrettyName",
        "Version",
        "Build",
        "LinuxDistribution",
        "LinuxLSBLike",
        "Family",
        "MajorVersion",
        "Architecture",
        "Kernel",
        "HostName",
        "Addresses",
        "CPUs",
        "Memory",
        "Mounts",
        "Virtualization",
        "InitSystem",
    ];

    /// The values of all fields.
    pub(crate) fn values(&self) -> [Value; COUNT] {
        let text = |text: &str| Value::from(text);
        let number = |number: Option<u64>| match number.and_then(|number| i64::try_from(number).ok()) {
            Some(number) => Value::Int(number),
            None => Value::Null,
        };
        [
            text(&self.os),
            text(&self.name),
            text(&self.pretty_name),
            text(&self.version),
            text(&self.build),
            text(&self.linux_distribution),
            text(&self.linux_lsb_like),
            text(self.family()),
            text(self.major_version()),
            text(&self.architecture),
            text(&self.kernel),
            text(&self.host_name),
            Value::List(self.addresses.iter().map(|address| text(address)).collect()),
            number(self.cpus.map(u64::from)),
            number(self.memory),
            Value::List(self.mounts.iter().map(Mount::value).collect()),
            text(&self.virtualization),
            text(&self.init_system),
        ]
    }
}

impl Mount {
    /// A mount of a device at a path.
    pub fn new(path: impl Into<String>, device: impl Into<String>) -> Self {
        Self { path: path.into(), device: device.into(), ..Self::default() }
    }

    fn value(&self) -> Value {
        let Self { path, device, file_system, options } = self;
        Value::from([
            ("path", Value::from(path.as_str())),
            ("device", Value::from(device.as_str())),
            ("file_system", Value::from(file_system.as_str())),
            ("options", Value::from(options.as_str())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::Platform;

    #[test]
    fn families() {
        let check = |id: &str, like: &str, expect: &str| {
            let mut platform = Platform::new("linux");
            (platform.linux_distribution, platform.linux_lsb_like) = (id.to_owned(), like.to_owned());
            assert_eq!(platform.family(), expect, "{id} {like}");
        };
        check("debian", "", "debian");
        check("linuxmint", "ubuntu debian", "debian");
        check("rocky", "rhel centos fedora", "redhat");
        check("amzn", "centos rhel fedora", "redhat");
        check("opensuse-leap", "suse opensuse", "suse");
        check("manjaro", "arch", "arch");
        check("void", "", "void");
        check("", "", "linux");
    }

    #[test]
    fn major_versions() {
        for (version, expect) in [("12", "12"), ("22.04", "22"), ("3.19.1", "3"), ("", "")] {
            let mut platform = Platform::new("linux");
            version.clone_into(&mut platform.version);
            assert_eq!(platform.major_version(), expect);
        }
    }
}
