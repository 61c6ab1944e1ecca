use std::fmt;
use std::str::FromStr;

use converge_sdk::footprint::{Names, kind};
use converge_sdk::prelude::*;

/// The directory of the administrator's unit files.
const UNIT_FILES: &str = "/etc/systemd/system";

/// The maximum length of a unit name in systemd.
const LONGEST: usize = 255;

/// The name of a unit with its suffix, in a form that systemd accepts.
///
/// Templates are refused; instances are accepted.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(in crate::systemd) struct UnitName {
    name: String,
    kind: UnitKind,
}

/// The kind of unit: the suffix of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(in crate::systemd) enum UnitKind {
    /// One or several processes.
    Service,
    /// A socket that starts a service.
    Socket,
    /// A device of the kernel.
    Device,
    /// A mounted file system.
    Mount,
    /// A file system that is mounted on access.
    Automount,
    /// Swap space.
    Swap,
    /// A group of units.
    Target,
    /// A watched path, which starts a service.
    Path,
    /// A timer, which starts a service.
    Timer,
    /// A group of processes that share resources.
    Slice,
    /// Processes that systemd did not start itself.
    Scope,
}

impl UnitKind {
    /// All kinds, with the suffix of the name of their D-Bus interface.
    const ALL: [(Self, &str); 11] = [
        (Self::Service, "Service"),
        (Self::Socket, "Socket"),
        (Self::Device, "Device"),
        (Self::Mount, "Mount"),
        (Self::Automount, "Automount"),
        (Self::Swap, "Swap"),
        (Self::Target, "Target"),
        (Self::Path, "Path"),
        (Self::Timer, "Timer"),
        (Self::Slice, "Slice"),
        (Self::Scope, "Scope"),
    ];

    fn of_suffix(suffix: &str) -> Option<Self> {
        Self::ALL.iter().map(|(kind, _)| *kind).find(|kind| kind.as_str() == suffix)
    }

    /// Returns the suffix of the name of the D-Bus interface.
    pub(in crate::systemd) fn interface(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("Service", |(_, interface)| interface)
    }
}

/// The footprint has the unit, its files of the administrator, and the package with the same name.
impl Names for UnitName {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        let (stem, suffix) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        let template = stem.split_once('@').map(|(template, _)| template);
        match kind {
            kind::PATH => {
                add(&format!("{UNIT_FILES}/{}", self.name));
                add(&format!("{UNIT_FILES}/{}.d", self.name));
                if let Some(template) = template {
                    add(&format!("{UNIT_FILES}/{template}@.{suffix}"));
                    add(&format!("{UNIT_FILES}/{template}@.{suffix}.d"));
                }
                if matches!(self.kind, UnitKind::Timer | UnitKind::Path | UnitKind::Socket) {
                    // The service that the unit starts has the same name, unless its file says otherwise.
                    add(&format!("{UNIT_FILES}/{stem}.service"));
                }
            }
            kind::PACKAGE => add(template.unwrap_or(stem)),
            _ => add(&self.name),
        }
    }
}

impl UnitName {
    /// Parses a name. As in `systemctl`, a name without a suffix is that of a service.
    pub(in crate::systemd) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        if text.starts_with('/') {
            let message =
                "it is a path: `systemd-escape --path --suffix=mount PATH` gives the name of its unit";
            return Err(message.to_owned());
        }
        let allowed = |char: char| char.is_ascii_alphanumeric() || ":-_.\\@".contains(char);
        if let Some(char) = text.chars().find(|char| !allowed(*char)) {
            return Err(format!(
                "`{char}` is not allowed in the name of a unit: escape it with `systemd-escape`"
            ));
        }
        let suffix = text.rsplit_once('.').and_then(|(_, suffix)| UnitKind::of_suffix(suffix));
        let (name, kind) = match suffix {
            Some(kind) => (text.to_owned(), kind),
            None => (format!("{text}.service"), UnitKind::Service),
        };
        if name.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let (prefix, suffix) = name.rsplit_once('.').unwrap_or((&name, ""));
        let (template, instance) = prefix.split_once('@').unwrap_or((prefix, prefix));
        if template.is_empty() {
            return Err("there is nothing before the suffix".to_owned());
        }
        if instance.is_empty() {
            return Err(format!("it is a template: name an instance of it, like `{template}@NAME.{suffix}`"));
        }
        Ok(Self { name, kind })
    }

    pub(in crate::systemd) fn kind(&self) -> UnitKind {
        self.kind
    }

    pub(in crate::systemd) fn as_str(&self) -> &str {
        &self.name
    }
}

impl FromStr for UnitName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|reason| format!("{text:?} is not the name of a unit: {reason}"))
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
            let actual = match UnitName::parse(text) {
                Ok(name) => format!("{name} {:?}", name.kind()),
                Err(error) => error,
            };
            assert_eq!(actual, expect, "{text}");
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
        check("a b", "` ` is not allowed in the name of a unit: escape it with `systemd-escape`");
        check("é", "`é` is not allowed in the name of a unit: escape it with `systemd-escape`");
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
