//! The mount unit: its text, name and links.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use converge_sdk::footprint::Names;
use converge_sdk::prelude::*;

use crate::mount_fields::{Directory, MountOption};

/// The directory of the administrator's units.
const UNITS: &str = "/etc/systemd/system";

/// The unit of all local file systems, which is reached at boot.
const LOCAL_FILESYSTEMS: &str = "local-fs.target";

const LONGEST_NAME: usize = 255;

/// A mount point: an absolute path without `.`, `..` and double slashes.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct MountPoint(String);

impl Names for MountPoint {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        add(&self.0);
    }
}

impl MountPoint {
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn unit(&self) -> String {
        format!("{}.mount", escaped(&self.0))
    }
}

impl FromStr for MountPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let directory: Directory = text.parse()?;
        if directory.is_root() {
            return Err("`/` is mounted when the machine starts, and not by a unit of ours".to_owned());
        }
        let mount = Self(directory.to_string());
        match mount.unit().len() {
            length if length > LONGEST_NAME => Err(format!(
                "{text:?} is too long: the name of its unit would have {length} bytes, and {LONGEST_NAME} is the limit"
            )),
            _ => Ok(mount),
        }
    }
}

/// Escapes a path for the name of a unit, as `systemd-escape --path` does.
fn escaped(path: &str) -> String {
    let mut escaped = String::new();
    for (place, byte) in path.trim_matches('/').bytes().enumerate() {
        match byte {
            b'/' => escaped.push('-'),
            b'.' if place == 0 => escaped.push_str("\\x2e"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' | b'_' | b'.' => escaped.push(char::from(byte)),
            other => {
                let _ = write!(escaped, "\\x{other:02x}");
            }
        }
    }
    escaped
}

/// The name of another unit, which depends on the mount.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct DependentUnit(String);

impl FromStr for DependentUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b":_.\\@-".contains(&byte);
        let has_type = text.rsplit_once('.').is_some_and(|(name, kind)| !name.is_empty() && !kind.is_empty());
        if has_type && text.bytes().all(is_valid) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "{text:?} is not the name of a unit: it ends with a type as in `nginx.service`, and has no spaces and no `/`"
            ))
        }
    }
}

macro_rules! display {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

display!(MountPoint, DependentUnit);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MountUnit {
    pub(super) device: String,
    pub(super) mount: MountPoint,
    pub(super) fstype: String,
    pub(super) options: Vec<MountOption>,
    pub(super) required_by: Vec<DependentUnit>,
    pub(super) wanted_by: Vec<DependentUnit>,
    pub(super) before: Vec<DependentUnit>,
}

impl MountUnit {
    pub(super) fn name(&self) -> String {
        self.mount.unit()
    }

    pub(super) fn path(&self) -> PathBuf {
        Path::new(UNITS).join(self.name())
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from("# Managed by Converge: changes are lost.\n[Unit]\n");
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name}={value}");
        };
        line("Before", &words(Some(LOCAL_FILESYSTEMS), &self.before));
        line("\n[Mount]\nWhat", &literal(&self.device));
        line("Where", &literal(self.mount.as_str()));
        line("Type", &self.fstype);
        if let Some(options) = self.joined_options() {
            line("Options", &literal(&options));
        }
        line("\n[Install]\nWantedBy", &words(Some(LOCAL_FILESYSTEMS), &self.wanted_by));
        if !self.required_by.is_empty() {
            line("RequiredBy", &words(None, &self.required_by));
        }
        text
    }

    pub(super) fn joined_options(&self) -> Option<String> {
        let options: Vec<&str> = self.options.iter().map(MountOption::as_str).collect();
        (!options.is_empty()).then(|| options.join(","))
    }

    /// Returns the links of an enabled unit.
    ///
    /// They are checked one by one, because a unit can be enabled for some of its dependents only.
    pub(super) fn links(&self) -> Vec<PathBuf> {
        let units = std::iter::once(LOCAL_FILESYSTEMS).chain(names(&self.wanted_by));
        let folders = units.map(|unit| format!("{unit}.wants"));
        let requires = names(&self.required_by).map(|unit| format!("{unit}.requires"));
        let name = self.name();
        folders.chain(requires).map(|folder| Path::new(UNITS).join(folder).join(&name)).collect()
    }
}

fn names(units: &[DependentUnit]) -> impl Iterator<Item = &str> {
    units.iter().map(|unit| unit.0.as_str())
}

fn words(first: Option<&str>, units: &[DependentUnit]) -> String {
    first.into_iter().chain(names(units)).collect::<Vec<_>>().join(" ")
}

/// Escapes percent signs, which systemd would expand with the next character.
fn literal(text: &str) -> String {
    text.replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Uses output of `systemd-escape --path --suffix=mount` from systemd 252.
    #[test]
    fn names_of_units() {
        let check = |path: &str, expect: &str| {
            let actual = match path.parse::<MountPoint>() {
                Ok(mount) => mount.unit(),
                Err(error) => error,
            };
            assert_eq!(actual, expect);
        };
        check("/srv/a-b", "srv-a\\x2db.mount");
        check("/srv/a b", "srv-a\\x20b.mount");
        check("/.hidden/x", "\\x2ehidden-x.mount");
        check("/srv//x/", "srv-x.mount");
        check("/srv/./x", "srv-x.mount");
        check("/srv/ü", "srv-\\xc3\\xbc.mount");
        check("/srv/a_b.c:d\\e", "srv-a_b.c:d\\x5ce.mount");
        check("/", "`/` is mounted when the machine starts, and not by a unit of ours");
        let no_path =
            "is not an absolute path of a directory: it begins with `/`, and has no `..` and no line breaks";
        check("srv", &format!("\"srv\" {no_path}"));
        check("/srv/../x", &format!("\"/srv/../x\" {no_path}"));
        check("/srv\n/x", &format!("\"/srv\\n/x\" {no_path}"));
        let long = format!("/{}", "-".repeat(70));
        let limit = "the name of its unit would have 286 bytes, and 255 is the limit";
        check(&long, &format!("{long:?} is too long: {limit}"));
    }

    #[test]
    fn other_words() {
        let unit = |text: &str, good: bool| assert_eq!(text.parse::<DependentUnit>().is_ok(), good, "{text}");
        unit("nginx.service", true);
        unit("srv-a\\x2db.mount", true);
        unit("getty@tty1.service", true);
        unit("nginx", false);
        unit(".service", false);
        unit("a b.service", false);
        unit("../x.service", false);
        unit("a.service\nExecStart", false);
        let option = |text: &str, good: bool| assert_eq!(text.parse::<MountOption>().is_ok(), good, "{text}");
        option("noatime", true);
        option("x-systemd.device-timeout=5s", true);
        option("a,b", false);
        option("", false);
        option("a\nExec=", false);
    }

    fn unit() -> MountUnit {
        MountUnit {
            device: "/dev/mapper/data-web".into(),
            mount: "/srv/100% sure".parse().unwrap(),
            fstype: "ext4".into(),
            options: Vec::new(),
            required_by: Vec::new(),
            wanted_by: Vec::new(),
            before: Vec::new(),
        }
    }

    #[test]
    fn texts() {
        insta::assert_snapshot!(unit().text(), @r"
        # Managed by Converge: changes are lost.
        [Unit]
        Before=local-fs.target

        [Mount]
        What=/dev/mapper/data-web
        Where=/srv/100%% sure
        Type=ext4

        [Install]
        WantedBy=local-fs.target
        ");
        let full_unit = MountUnit {
            options: vec!["noatime".parse().unwrap(), "nodev".parse().unwrap()],
            required_by: vec!["nginx.service".parse().unwrap()],
            wanted_by: vec!["web.target".parse().unwrap()],
            before: vec!["nginx.service".parse().unwrap(), "web.target".parse().unwrap()],
            ..unit()
        };
        insta::assert_snapshot!(full_unit.text(), @r"
        # Managed by Converge: changes are lost.
        [Unit]
        Before=local-fs.target nginx.service web.target

        [Mount]
        What=/dev/mapper/data-web
        Where=/srv/100%% sure
        Type=ext4
        Options=noatime,nodev

        [Install]
        WantedBy=local-fs.target web.target
        RequiredBy=nginx.service
        ");
        let links: Vec<_> = full_unit.links().iter().map(|link| link.display().to_string()).collect();
        insta::assert_snapshot!(links.join("\n"), @r"
        /etc/systemd/system/local-fs.target.wants/srv-100\x25\x20sure.mount
        /etc/systemd/system/web.target.wants/srv-100\x25\x20sure.mount
        /etc/systemd/system/nginx.service.requires/srv-100\x25\x20sure.mount
        ");
    }

    proptest! {
        #[test]
        fn a_name_is_one_word_of_few_letters(path in "/[^\u{0}]{1,30}") {
            if let Ok(mount) = path.parse::<MountPoint>() {
                let name = mount.unit();
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/'), "{}", name);
            }
        }
    }
}
