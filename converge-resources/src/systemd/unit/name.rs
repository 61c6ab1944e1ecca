//! Names of units.

use std::fmt;
use std::str::FromStr;

use converge_core::prelude::*;

/// The longest name that systemd takes.
const LONGEST: usize = 255;

/// The name of a unit with its suffix, as systemd accepts it. It names no template, only instances of one.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct UnitName {
    name: String,
    kind: UnitKind,
}

/// What kind of unit it is: the suffix of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum UnitKind {
    /// Processes.
    Service,
    /// A socket that starts a service.
    Socket,
    /// A device of the kernel.
    Device,
    /// A mounted file system.
    Mount,
    /// A file system that is mounted when it is used.
    Automount,
    /// Swap space.
    Swap,
    /// A group of units.
    Target,
    /// A path that is watched, and starts a service.
    Path,
    /// A time at which a service is started.
    Timer,
    /// A group of processes that share resources.
    Slice,
    /// Processes that systemd did not start itself.
    Scope,
}

impl UnitKind {
    const ALL: [(Self, &str, &str); 11] = [
        (Self::Service, "service", "Service"),
        (Self::Socket, "socket", "Socket"),
        (Self::Device, "device", "Device"),
        (Self::Mount, "mount", "Mount"),
        (Self::Automount, "automount", "Automount"),
        (Self::Swap, "swap", "Swap"),
        (Self::Target, "target", "Target"),
        (Self::Path, "path", "Path"),
        (Self::Timer, "timer", "Timer"),
        (Self::Slice, "slice", "Slice"),
        (Self::Scope, "scope", "Scope"),
    ];

    fn of_suffix(suffix: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, word, _)| *word == suffix).map(|(kind, ..)| *kind)
    }

    /// What the name of its D-Bus interface ends in.
    pub(super) fn interface(self) -> &'static str {
        Self::ALL.iter().find(|(kind, ..)| *kind == self).map_or("Service", |(.., interface)| interface)
    }
}

/// Why a text is no name of a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("it is empty")]
    Empty,
    #[error("it is a path: `systemd-escape --path --suffix=mount PATH` gives the name of its unit")]
    Path,
    #[error("`{0}` cannot be in a name: `systemd-escape` writes it so that it can")]
    Character(char),
    #[error("it is longer than 255 bytes")]
    TooLong,
    #[error("there is nothing before the suffix")]
    NoPrefix,
    #[error("it is a template: name an instance of it, like `{0}`")]
    Template(String),
}

/// A text is no name of a unit.
#[derive(Debug, thiserror::Error)]
#[error("{text:?} is not the name of a unit: {reason}")]
pub(super) struct NotAName {
    text: String,
    reason: NameError,
}

impl UnitName {
    /// Reads a name. As in `systemctl`, what has no suffix is a service.
    pub(super) fn parse(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.starts_with('/') {
            return Err(NameError::Path);
        }
        let allowed = |char: char| char.is_ascii_alphanumeric() || ":-_.\\@".contains(char);
        if let Some(char) = text.chars().find(|char| !allowed(*char)) {
            return Err(NameError::Character(char));
        }
        let suffix = text.rsplit_once('.').and_then(|(_, suffix)| UnitKind::of_suffix(suffix));
        let (name, kind) = match suffix {
            Some(kind) => (text.to_owned(), kind),
            None => (format!("{text}.service"), UnitKind::Service),
        };
        if name.len() > LONGEST {
            return Err(NameError::TooLong);
        }
        let (prefix, suffix) = name.rsplit_once('.').unwrap_or((&name, ""));
        match prefix.split_once('@') {
            _ if prefix.is_empty() => Err(NameError::NoPrefix),
            Some(("", _)) => Err(NameError::NoPrefix),
            Some((template, "")) => Err(NameError::Template(format!("{template}@NAME.{suffix}"))),
            _ => Ok(Self { name, kind }),
        }
    }

    /// What kind of unit it is.
    pub(super) fn kind(&self) -> UnitKind {
        self.kind
    }

    /// The name, with its suffix.
    pub(super) fn as_str(&self) -> &str {
        &self.name
    }
}

impl FromStr for UnitName {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Self, NotAName> {
        Self::parse(text).map_err(|reason| NotAName { text: text.to_owned(), reason })
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names() {
        let check = |text: &str, expect: &str| {
            let shown = match UnitName::parse(text) {
                Ok(name) => format!("{name} {:?}", name.kind()),
                Err(error) => error.to_string(),
            };
            assert_eq!(shown, expect, "{text}");
        };
        check("nginx", "nginx.service Service");
        check("nginx.service", "nginx.service Service");
        check("fstrim.timer", "fstrim.timer Timer");
        check("dev-sda.device", "dev-sda.device Device");
        check("org.bluez", "org.bluez.service Service");
        check("getty@tty1", "getty@tty1.service Service");
        check("a@b@c.socket", "a@b@c.socket Socket");
        check("srv-my\\x2ddata.mount", "srv-my\\x2ddata.mount Mount");
        check("", "it is empty");
        check(
            "/srv/data",
            "it is a path: `systemd-escape --path --suffix=mount PATH` gives the name of its unit",
        );
        check("a b", "` ` cannot be in a name: `systemd-escape` writes it so that it can");
        check("é", "`é` cannot be in a name: `systemd-escape` writes it so that it can");
        check("x@.service", "it is a template: name an instance of it, like `x@NAME.service`");
        check("x@", "it is a template: name an instance of it, like `x@NAME.service`");
        check("@x.service", "there is nothing before the suffix");
        check(".timer", "there is nothing before the suffix");
        check(&"a".repeat(248), "it is longer than 255 bytes");
    }

    proptest! {
        #[test]
        fn a_name_that_was_read_reads_as_itself(text in "[a-z@.\\\\: ]{0,20}") {
            if let Ok(name) = UnitName::parse(&text) {
                prop_assert_eq!(UnitName::parse(name.as_str()), Ok(name.clone()));
            }
        }
    }
}
