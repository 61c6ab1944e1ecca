use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use converge_sdk::system::{EntryKind, Machine};

/// The directories of unit files, in the order of precedence.
pub(crate) const FOLDERS: [&str; 4] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
];

/// The target of the link of a masked unit.
pub(super) const NOTHING: &str = "/dev/null";

/// The default time limit for the start of a unit.
const PATIENCE: Duration = Duration::from_secs(90);

/// The files of a unit, as they are or as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// The unit's own file; for a mask, a file without text.
    pub(super) fragment: Option<String>,
    pub(super) is_masked: bool,
    /// All files with their texts, the unit's own first.
    pub(super) texts: Vec<(String, String)>,
    /// The existing drop-in directories.
    folders: Vec<String>,
}

const FIELD: char = '\u{1f}';
const RECORD: char = '\u{1e}';

impl Files {
    pub(super) fn find(machine: &Machine, unit: &str) -> Self {
        let mut files = Self::default();
        let names: Vec<String> = std::iter::once(unit.to_owned()).chain(template(unit)).collect();
        let paths =
            names.iter().flat_map(|name| FOLDERS.iter().map(move |folder| format!("{folder}/{name}")));
        if let Some(path) = paths.into_iter().find(|path| is_there(machine, path)) {
            files.is_masked = is_mask(machine, &path);
            if !files.is_masked {
                files.texts.push((path.clone(), text(machine, &path)));
            }
            files.fragment = Some(path);
        }
        let mut drop_ins = BTreeMap::new();
        for folder in
            FOLDERS.iter().flat_map(|folder| names.iter().map(move |name| format!("{folder}/{name}.d")))
        {
            if !machine.entry(&folder).is_some_and(|entry| entry.kind == EntryKind::Directory) {
                continue;
            }
            for path in machine.entries().into_keys().filter(|path| path.parent() == Some(Path::new(&folder)))
            {
                if let Some(name) =
                    path.file_name().filter(|_| path.extension().is_some_and(|end| end == "conf"))
                {
                    drop_ins.entry(name.to_owned()).or_insert_with(|| path.to_string_lossy().into_owned());
                }
            }
            files.folders.push(folder);
        }
        let drop_ins = drop_ins.into_values().filter(|path| !is_mask(machine, path));
        files.texts.extend(drop_ins.map(|path| (path.clone(), text(machine, &path))));
        files
    }

    pub(super) fn drop_ins(&self) -> impl Iterator<Item = &str> {
        let fragment = self.fragment.as_deref();
        self.texts.iter().map(|(path, _)| path.as_str()).filter(move |path| Some(*path) != fragment)
    }

    /// Formats the files as the value of a fact.
    pub(super) fn to_fact(&self) -> String {
        let mut records = vec![self.fragment.clone().unwrap_or_default(), self.is_masked.to_string()];
        records.push(self.folders.join(&FIELD.to_string()));
        records.extend(self.texts.iter().map(|(path, text)| format!("{path}{FIELD}{text}")));
        records.join(&RECORD.to_string())
    }

    pub(super) fn of_fact(fact: &str) -> Self {
        let mut records = fact.split(RECORD);
        let fragment = records.next().filter(|path| !path.is_empty()).map(str::to_owned);
        let is_masked = records.next() == Some("true");
        let folders = records.next().unwrap_or_default().split(FIELD).filter(|folder| !folder.is_empty());
        let folders = folders.map(str::to_owned).collect();
        let texts = records.filter_map(|record| record.split_once(FIELD));
        let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        Self { fragment, is_masked, texts, folders }
    }

    /// Whether systemd notices that the files have changed.
    ///
    /// systemd does not look into directories that did not exist when it read the unit.
    pub(super) fn are_old(&self, machine: &Machine, unit: &str) -> bool {
        let current = Self::find(machine, unit);
        let is_known = |path: &str| self.folders.iter().any(|folder| path.starts_with(&format!("{folder}/")));
        let paths: Vec<&str> = current.drop_ins().filter(|path| is_known(path)).collect();
        let changed = |(path, old): &(String, String)| {
            !is_there(machine, path) || is_mask(machine, path) || text(machine, path) != *old
        };
        let is_unmasked =
            self.is_masked && !self.fragment.as_ref().is_some_and(|path| is_mask(machine, path));
        is_unmasked || self.drop_ins().ne(paths.iter().copied()) || self.texts.iter().any(changed)
    }
}

#[derive(Debug, Default)]
pub(super) struct Settings(Vec<(String, String, String)>);

impl Settings {
    pub(super) fn from_files(files: &Files) -> Self {
        let mut settings: Vec<(String, String, String)> = Vec::new();
        for (_, text) in &files.texts {
            let mut section = "";
            for line in text.lines().map(str::trim) {
                if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                    section = name;
                } else if let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
                    let (name, value) = (name.trim(), value.trim());
                    if value.is_empty() {
                        settings.retain(|(of, have, _)| of != section || have != name);
                    } else {
                        settings.push((section.to_owned(), name.to_owned(), value.to_owned()));
                    }
                }
            }
        }
        Self(settings)
    }

    pub(super) fn all(&self, section: &str, name: &str) -> impl Iterator<Item = &str> {
        let entries = self.0.iter().filter(move |(group, have, _)| group == section && have == name);
        entries.map(|(_, _, value)| value.as_str())
    }

    /// Returns the last value of a setting, which is the effective one.
    pub(super) fn one(&self, section: &str, name: &str) -> Option<&str> {
        self.all(section, name).last()
    }

    pub(super) fn is_yes(&self, section: &str, name: &str) -> bool {
        self.one(section, name) == Some("yes")
    }

    /// Whether the section `[Install]` has settings that create links, such as `WantedBy=`.
    pub(super) fn has_install(&self) -> bool {
        self.0.iter().any(|(section, _, _)| section == "Install")
    }

    /// Returns the `Type=` of a service.
    pub(super) fn kind(&self) -> &str {
        self.one("Service", "Type").unwrap_or("simple")
    }

    pub(super) fn patience(&self) -> Duration {
        let seconds = self.one("Service", "TimeoutStartSec").and_then(|text| text.parse().ok());
        seconds.map_or(PATIENCE, Duration::from_secs)
    }
}

pub(super) fn is_there(machine: &Machine, path: &str) -> bool {
    machine.entry(path).is_some_and(|entry| entry.kind != EntryKind::Directory)
}

pub(super) fn is_mask(machine: &Machine, path: &str) -> bool {
    let target = |kind| matches!(kind, EntryKind::Symlink(target) if target == Path::new(NOTHING));
    machine.entry(path).is_some_and(|entry| target(entry.kind))
}

fn text(machine: &Machine, path: &str) -> String {
    String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned()
}

/// Returns the template of an instance: `app@.service` for `app@one.service`.
fn template(unit: &str) -> Option<String> {
    let (prefix, suffix) = unit.rsplit_once('.')?;
    let (template, _) = prefix.split_once('@')?;
    Some(format!("{template}@.{suffix}"))
}
