//! Assertions about the state of a host.

use super::Host;

impl Host {
    /// Whether the user exists.
    #[track_caller]
    pub fn has_user(&self, name: &str) -> bool {
        self.run(&format!("getent passwd '{name}'")).code == Some(0)
    }

    /// Whether the group exists.
    #[track_caller]
    pub fn has_group(&self, name: &str) -> bool {
        self.run(&format!("getent group '{name}'")).code == Some(0)
    }

    /// Returns the version of a package that dpkg has installed.
    #[track_caller]
    pub fn package(&self, name: &str) -> Option<String> {
        let output = self.run(&format!("dpkg-query --show --showformat '${{Status}} ${{Version}}' '{name}'"));
        output.stdout.strip_prefix("install ok installed ").map(str::to_owned)
    }

    /// Returns a file or folder for assertions.
    pub fn file<'a>(&'a self, path: &'a str) -> FileState<'a> {
        FileState { host: self, path }
    }

    /// Returns a systemd unit for queries.
    pub fn unit<'a>(&'a self, name: &'a str) -> UnitState<'a> {
        UnitState { host: self, name }
    }
}

/// A file or folder of a host.
///
/// Each method panics unless its condition holds.
#[derive(Clone, Copy, Debug)]
pub struct FileState<'a> {
    host: &'a Host,
    path: &'a str,
}

impl FileState<'_> {
    /// Asserts that the file has this content.
    #[track_caller]
    pub fn is(self, content: &str) -> Self {
        let have = self.host.get(self.path);
        assert_eq!(String::from_utf8_lossy(&have), content, "content of {}", self.path);
        self
    }

    /// Asserts that the file does not exist.
    #[track_caller]
    pub fn is_absent(self) -> Self {
        let code = self.host.run(&format!("test -e '{0}' || test -L '{0}'", self.path)).code;
        assert_eq!(code, Some(1), "{} is there", self.path);
        self
    }

    /// Asserts that the file has this mode, such as `"0644"`.
    #[track_caller]
    pub fn has_mode(self, mode: &str) -> Self {
        assert_eq!(self.stat("0%a"), mode, "mode of {}", self.path);
        self
    }

    /// Asserts that the file has this owner and group, such as `"keeper:keepers"`.
    #[track_caller]
    pub fn has_owner(self, owner: &str) -> Self {
        assert_eq!(self.stat("%U:%G"), owner, "owner of {}", self.path);
        self
    }

    #[track_caller]
    fn stat(self, format: &str) -> String {
        let output = self.host.ok(&format!("stat --format '{format}' '{}'", self.path));
        output.stdout.trim_end().to_owned()
    }
}

/// A systemd unit of a host.
#[derive(Clone, Copy, Debug)]
pub struct UnitState<'a> {
    host: &'a Host,
    name: &'a str,
}

impl UnitState<'_> {
    /// Whether the unit is active.
    #[track_caller]
    pub fn is_active(self) -> bool {
        self.property("ActiveState") == "active"
    }

    /// Whether the unit starts at boot.
    #[track_caller]
    pub fn is_enabled(self) -> bool {
        self.property("UnitFileState") == "enabled"
    }

    /// Returns a property of the unit, as `systemctl show` prints it.
    #[track_caller]
    pub fn property(self, property: &str) -> String {
        let output = self.host.ok(&format!("systemctl show --property={property} --value '{}'", self.name));
        output.stdout.trim_end().to_owned()
    }
}
