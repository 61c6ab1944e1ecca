//! What a machine runs.

/// The operating system and distribution, as templates see them (`{{platform.OS}}`).
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
}

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
    };

    /// A platform of which only the operating system is known.
    pub fn new(os: impl Into<String>) -> Self {
        Self { os: os.into(), ..Self::default() }
    }

    /// The names of the fields, in the order of [`values`](Self::values).
    pub(crate) const FIELDS: [&str; 7] =
        ["os", "name", "pretty_name", "version", "build", "linux_distribution", "linux_lsb_like"];

    /// The names of the fields, as templates spell them.
    pub(crate) const TEMPLATE_FIELDS: [&str; 7] =
        ["OS", "Name", "PrettyName", "Version", "Build", "LinuxDistribution", "LinuxLSBLike"];

    /// The values of all fields.
    pub(crate) fn values(&self) -> [&str; 7] {
        let Self { os, name, pretty_name, version, build, linux_distribution, linux_lsb_like } = self;
        [os, name, pretty_name, version, build, linux_distribution, linux_lsb_like]
    }
}
