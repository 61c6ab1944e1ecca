//! What a test says about the state of a host.

use super::Host;

impl Host {
    /// Whether there is a user of this name.
    #[track_caller]
    pub fn has_user(&self, name: &str) -> bool {
        self.run(&format!("getent passwd '{name}'")).code == Some(0)
    }

    /// Whether there is a group of this name.
    #[track_caller]
    pub fn has_group(&self, name: &str) -> bool {
        self.run(&format!("getent group '{name}'")).code == Some(0)
    }

    /// The version of a package that dpkg has installed.
    #[track_caller]
    pub fn package(&self, name: &str) -> Option<String> {
        let said = self.run(&format!("dpkg-query --show --showformat '${{Status}} ${{Version}}' '{name}'"));
        said.stdout.strip_prefix("install ok installed ").map(str::to_owned)
    }

    /// A file or folder, to say something about it.
    pub fn file<'a>(&'a self, path: &'a str) -> FileState<'a> {
        FileState { host: self, path }
    }

    /// A systemd unit, to ask something about it.
    pub fn unit<'a>(&'a self, name: &'a str) -> UnitState<'a> {
        UnitState { host: self, name }
    }
}

/// A file or folder of a host. Each method panics unless what it says is so.
#[derive(Clone, Copy, Debug)]
pub struct FileState<'a> {
    host: &'a Host,
    path: &'a str,
}

impl FileState<'_> {
    /// It has this content.
    #[track_caller]
    pub fn is(self, content: &str) -> Self {
        let have = self.host.get(self.path);
        assert_eq!(String::from_utf8_lossy(&have), content, "content of {}", self.path);
        self
    }

    /// There is none.
    #[track_caller]
    pub fn is_absent(self) -> Self {
        let code = self.host.run(&format!("test -e '{0}' || test -L '{0}'", self.path)).code;
        assert_eq!(code, Some(1), "{} is there", self.path);
        self
    }

    /// It has this mode: `"0644"`.
    #[track_caller]
    pub fn has_mode(self, mode: &str) -> Self {
        assert_eq!(self.stat("0%a"), mode, "mode of {}", self.path);
        self
    }

    /// It has this owner and group: `"keeper:keepers"`.
    #[track_caller]
    pub fn has_owner(self, owner: &str) -> Self {
        assert_eq!(self.stat("%U:%G"), owner, "owner of {}", self.path);
        self
    }

    #[track_caller]
    fn stat(self, format: &str) -> String {
        let said = self.host.ok(&format!("stat --format '{format}' '{}'", self.path));
        said.stdout.trim_end().to_owned()
    }
}

/// A systemd unit of a host.
#[derive(Clone, Copy, Debug)]
pub struct UnitState<'a> {
    host: &'a Host,
    name: &'a str,
}

impl UnitState<'_> {
    /// Whether it is active.
    #[track_caller]
    pub fn is_active(self) -> bool {
        self.property("ActiveState") == "active"
    }

    /// Whether it starts with the host.
    #[track_caller]
    pub fn is_enabled(self) -> bool {
        self.property("UnitFileState") == "enabled"
    }

    /// One of its properties, as `systemctl show` prints it.
    #[track_caller]
    pub fn property(self, property: &str) -> String {
        let said = self.host.ok(&format!("systemctl show --property={property} --value '{}'", self.name));
        said.stdout.trim_end().to_owned()
    }
}
