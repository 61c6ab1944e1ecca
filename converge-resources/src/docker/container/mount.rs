use std::collections::BTreeSet;
use std::fmt;

use converge_sdk::footprint::{Names, kind};

use crate::docker::text_type::{is_name, text_type};

const MOUNT: &str = "not a volume: write `/PATH`, `VOLUME:/PATH` or `/FOLDER:/PATH`, with `:ro` at the end to forbid writing. \
    Paths are absolute";
const FROM: &str = "not a container with volumes: write `CONTAINER`, with `:ro` after it to forbid writing";

/// The mode of a mount that declares none.
const DEFAULT_MODE: &str = "rw";

/// A volume or a directory of the machine, mounted at a path of the container.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mount {
    /// A directory of the machine or the name of a volume; `None` for a volume without a name.
    pub(super) source: Option<String>,
    pub(super) path: String,
    modes: BTreeSet<String>,
}

/// A container whose volumes are mounted as well.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VolumesFrom {
    pub(super) container: String,
    read_only: bool,
}

text_type!(Mount);
text_type!(VolumesFrom);

/// The footprint names the directory of the machine, or the volume.
impl Names for Mount {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        if let Some(source) = &self.source
            && (kind == kind::PATH) == source.starts_with('/')
        {
            add(source);
        }
    }
}

impl Names for VolumesFrom {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        add(&self.container);
    }
}

impl Mount {
    /// Parses `/data`, `name:/data`, `/srv:/data` and `/srv:/data:ro,z`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts: Vec<&str> = text.split(':').collect();
        let (source, path, modes) = match *parts.as_slice() {
            [path] => (None, path, ""),
            [source, path] => (Some(source), path, ""),
            [source, path, modes] if !modes.is_empty() => (Some(source), path, modes),
            _ => return Err(MOUNT),
        };
        if !path.starts_with('/') || !source.is_none_or(|source| source.starts_with('/') || is_name(source)) {
            return Err(MOUNT);
        }
        let modes = modes.split(',').filter(|mode| !mode.is_empty() && *mode != DEFAULT_MODE);
        Ok(Self {
            source: source.map(trim_end_slash),
            path: trim_end_slash(path),
            modes: modes.map(str::to_owned).collect(),
        })
    }
}

/// Removes the slash at the end of a path, which names the same directory.
fn trim_end_slash(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { "/".to_owned() } else { trimmed.to_owned() }
}

impl fmt::Display for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            write!(f, "{source}:")?;
        }
        f.write_str(&self.path)?;
        for (index, mode) in self.modes.iter().enumerate() {
            write!(f, "{}{mode}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl VolumesFrom {
    /// Parses `store`, `store:ro` and `store:rw`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (container, mode) = text.split_once(':').unwrap_or((text, DEFAULT_MODE));
        if !is_name(container) {
            return Err(FROM);
        }
        let read_only = match mode {
            DEFAULT_MODE => false,
            "ro" => true,
            _ => return Err(FROM),
        };
        Ok(Self { container: container.to_owned(), read_only })
    }
}

impl fmt::Display for VolumesFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.container, if self.read_only { ":ro" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mounts() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(Mount::parse(text).ok().map(|mount| mount.to_string()).as_deref(), expect, "{text}");
        };
        check("/data", Some("/data"));
        check("/data/", Some("/data"));
        check("name:/data", Some("name:/data"));
        check("/srv/:/data", Some("/srv:/data"));
        check("/:/host:ro", Some("/:/host:ro"));
        check("/srv:/data:rw", Some("/srv:/data"));
        check("/srv:/data:z,ro", Some("/srv:/data:ro,z"));
        check("./srv:/data", None);
        check("name:data", None);
        check("name", None);
        check("/srv:/data:", None);
        check("a:/b:ro:c", None);
        check(":/data", None);
        check("", None);
    }

    #[test]
    fn volumes_of_others() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(
                VolumesFrom::parse(text).ok().map(|from| from.to_string()).as_deref(),
                expect,
                "{text}"
            );
        };
        check("store", Some("store"));
        check("store:rw", Some("store"));
        check("store:ro", Some("store:ro"));
        check("store:z", None);
        check("/store", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            if let Ok(mount) = Mount::parse(&text) {
                prop_assert_eq!(Mount::parse(&mount.to_string()), Ok(mount));
            }
            if let Ok(from) = VolumesFrom::parse(&text) {
                prop_assert_eq!(VolumesFrom::parse(&from.to_string()), Ok(from));
            }
        }

        #[test]
        fn a_mount_and_its_text_are_the_same(
            source in "(|[a-z0-9][a-z0-9_.-]{0,8}:|/[a-z/]{0,8}:)",
            path in "/[a-z/]{0,8}",
            modes in "(|:ro|:z,ro|:rw|:Z)",
        ) {
            let text = format!("{source}{path}{}", if source.is_empty() { "" } else { &*modes });
            let mount = Mount::parse(&text).unwrap();
            prop_assert_eq!(Mount::parse(&mount.to_string()), Ok(mount));
        }
    }
}
