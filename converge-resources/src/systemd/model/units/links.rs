//! The links that enable or mask units.

use std::path::{Path, PathBuf};

use converge_sdk::system::{EntryKind, Machine};

use super::Refused;
use super::files::{FOLDERS, Files, NOTHING, Settings, is_mask, is_there};

/// The directories of permanent links, and of links until the next boot.
const LASTING: &str = FOLDERS[0];
const UNTIL_BOOT: &str = FOLDERS[1];

fn folder(runtime: bool) -> &'static str {
    if runtime { UNTIL_BOOT } else { LASTING }
}

pub(crate) fn file_state(machine: &Machine, unit: &str) -> Result<String, Refused> {
    let files = Files::find(machine, unit);
    let Some(fragment) = &files.fragment else {
        return Err(Refused::new(
            "org.freedesktop.DBus.Error.FileNotFound",
            format!("Failed to get unit file state for {unit}: No such file or directory"),
        ));
    };
    let is_in = |folder: &str| fragment.starts_with(&format!("{folder}/"));
    let word = match () {
        () if files.is_masked => {
            if is_in(UNTIL_BOOT) {
                "masked-runtime"
            } else {
                "masked"
            }
        }
        () if !links(machine, unit, LASTING).is_empty() => "enabled",
        () if !links(machine, unit, UNTIL_BOOT).is_empty() => "enabled-runtime",
        () if Settings::from_files(&files).has_install() => "disabled",
        () => "static",
    };
    Ok(word.to_owned())
}

fn links(machine: &Machine, unit: &str, folder: &str) -> Vec<PathBuf> {
    let is_link = |path: &Path| {
        let parent = path.parent().filter(|parent| parent.parent() == Some(Path::new(folder)));
        let is_dependency =
            parent.and_then(Path::extension).is_some_and(|end| end == "wants" || end == "requires");
        is_dependency && path.file_name().is_some_and(|name| name == unit)
    };
    let links =
        machine.entries().into_iter().filter(|(_, entry)| matches!(entry.kind, EntryKind::Symlink(_)));
    links.map(|(path, _)| path).filter(|path| is_link(path)).collect()
}

pub(crate) fn enable(machine: &mut Machine, unit: &str) -> Result<(), Refused> {
    let files = Files::find(machine, unit);
    let Some(fragment) = files.fragment.clone() else {
        return Err(Refused::no_unit(format!("Unit file {unit} does not exist.")));
    };
    if files.is_masked {
        let message = format!("Unit file {fragment} is masked.");
        return Err(Refused::new("org.freedesktop.systemd1.UnitMasked", message));
    }
    let settings = Settings::from_files(&files);
    for (setting, end) in [("WantedBy", "wants"), ("RequiredBy", "requires")] {
        for dependent in settings.all("Install", setting).flat_map(str::split_whitespace) {
            machine.put_symlink(format!("{LASTING}/{dependent}.{end}/{unit}"), &fragment);
        }
    }
    Ok(())
}

pub(crate) fn disable(machine: &mut Machine, unit: &str, runtime: bool) {
    for link in links(machine, unit, folder(runtime)) {
        machine.remove(&link);
        let Some(parent) = link.parent() else { continue };
        if !machine.entries().keys().any(|path| path.parent() == Some(parent)) {
            machine.remove(parent);
        }
    }
}

pub(crate) fn reenable(machine: &mut Machine, unit: &str) -> Result<(), Refused> {
    disable(machine, unit, false);
    enable(machine, unit)
}

pub(crate) fn mask(machine: &mut Machine, unit: &str) -> Result<(), Refused> {
    let path = format!("{LASTING}/{unit}");
    if is_there(machine, &path) && !is_mask(machine, &path) {
        let message = format!("File '{path}' already exists and is not a symlink to {NOTHING}.");
        return Err(Refused::new("org.freedesktop.systemd1.UnitExists", message));
    }
    machine.put_symlink(path, NOTHING);
    Ok(())
}

pub(crate) fn unmask(machine: &mut Machine, unit: &str, runtime: bool) {
    let path = format!("{}/{unit}", folder(runtime));
    if is_mask(machine, &path) {
        machine.remove(path);
    }
}
