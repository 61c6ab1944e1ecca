use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use converge_sdk::footprint::{Names, kind};
use converge_sdk::prelude::*;

use crate::systemd::unit::name::{UnitKind, UnitName};

/// The directory of the administrator's unit files.
pub(super) const FOLDER: &str = "/etc/systemd/system";

/// The name of a unit, or of a template, that can have a file.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct UnitFileName {
    name: String,
    is_template: bool,
}

/// The name of a drop-in, without its `.conf`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct DropIn(String);

impl UnitFileName {
    pub(super) fn is_template(&self) -> bool {
        self.is_template
    }

    /// Returns the name without its instance mark and suffix.
    pub(super) fn stem(&self) -> &str {
        let (stem, _) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        stem.split('@').next().unwrap_or(stem)
    }

    /// Returns the path of the file relative to a directory of units.
    pub(super) fn file(&self, drop_in: Option<&DropIn>) -> PathBuf {
        match drop_in {
            None => PathBuf::from(&self.name),
            Some(DropIn(drop_in)) => Path::new(&format!("{}.d", self.name)).join(format!("{drop_in}.conf")),
        }
    }

    pub(super) fn path(&self, drop_in: Option<&DropIn>) -> PathBuf {
        Path::new(FOLDER).join(self.file(drop_in))
    }
}

impl FromStr for UnitFileName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const INSTANCE: &str = "@i.";
        let unit_name = if text.ends_with('@') { format!("{text}.service") } else { text.to_owned() };
        let is_template = unit_name.contains("@.");
        let unit: UnitName =
            if is_template { unit_name.replacen("@.", INSTANCE, 1) } else { unit_name }.parse()?;
        if matches!(unit.kind(), UnitKind::Device | UnitKind::Scope) {
            return Err(format!("{text:?} cannot have a file: systemd makes such units itself"));
        }
        let name = unit.as_str();
        let name = if is_template { name.replacen(INSTANCE, "@.", 1) } else { name.to_owned() };
        Ok(Self { name, is_template })
    }
}

impl fmt::Display for UnitFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Names for UnitFileName {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        match kind {
            kind::UNIT if !self.is_template => add(&self.name),
            kind::PATH => add(&self.path(None).to_string_lossy()),
            _ => {}
        }
    }
}

impl FromStr for DropIn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const LONGEST: usize = 200;
        let allowed = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
        let name = text.strip_suffix(".conf").unwrap_or(text);
        if name.is_empty() || name.starts_with('.') || name.len() > LONGEST || !name.chars().all(allowed) {
            return Err(format!(
                "{text:?} is not the name of a drop-in: it has letters, digits, `-`, `_` and `.`, and no dot first"
            ));
        }
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for DropIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
