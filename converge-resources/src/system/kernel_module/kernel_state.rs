//! The state of modules in the kernel.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, FileKind, Follow};

use super::name::{ModuleName, ParameterName, ParameterValue};
use crate::{text_file, tools};

/// The kernel's list of loaded modules.
const LOADED: &str = "/proc/modules";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Loaded {
    /// The reason why the module cannot be unloaded, if there is one.
    pub(super) held: Option<String>,
}

/// Looks up a loaded module.
pub(super) async fn loaded(cx: &Context, name: &ModuleName) -> Result<Option<Loaded>> {
    // A kernel without loadable modules has no list.
    let list = text_file::read(cx, Path::new(LOADED)).await?.unwrap_or_default();
    Ok(parse(name, &list))
}

/// Parses lines `NAME SIZE COUNT USERS STATE ADDRESS`.
pub(super) fn parse(name: &ModuleName, list: &str) -> Option<Loaded> {
    let mut words = list.lines().map(str::split_whitespace).find_map(|mut words| {
        let is_it = words.next().is_some_and(|word| name.matches(word));
        is_it.then_some(words)
    })?;
    let count = words.nth(1).unwrap_or("0");
    let users = words.next().unwrap_or("-").trim_end_matches(',');
    let reason = match (count, users) {
        (_, users) if users.contains("[permanent]") => Some("the kernel never unloads it".to_owned()),
        ("0" | "-", _) => None,
        (_, "-") => Some(format!("it is in use {count} times")),
        (_, users) => Some(format!("it is in use by {}", users.replace(',', ", "))),
    };
    Some(Loaded { held: reason })
}

fn folder(name: &ModuleName) -> PathBuf {
    Path::new("/sys/module").join(name.as_str())
}

pub(super) async fn is_built_in(cx: &Context, name: &ModuleName) -> Result<bool> {
    Ok(cx.system().files().metadata(&folder(name), Follow::Links).await?.is_some())
}

/// Returns a parameter of a loaded module, if the kernel shows it.
pub(super) async fn parameter(
    cx: &Context,
    name: &ModuleName,
    parameter: &ParameterName,
) -> Result<Option<String>> {
    let path = folder(name).join("parameters").join(parameter.to_string());
    let is_readable = match cx.system().files().metadata(&path, Follow::Links).await? {
        Some(metadata) => metadata.kind == FileKind::File && metadata.mode & 0o444 != 0,
        None => false,
    };
    if !is_readable {
        return Ok(None);
    }
    Ok(text_file::read(cx, &path).await?.map(|value| value.trim().to_owned()))
}

/// Whether the value that the kernel shows equals the given one.
///
/// The kernel shows booleans as letters, and other numbers in decimal.
pub(super) fn is_same(current: &str, target: &ParameterValue) -> bool {
    let normalize = |text: &str| match text {
        "Y" | "y" => "1".to_owned(),
        "N" | "n" => "0".to_owned(),
        other => {
            let number = other.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            number.map_or_else(|| other.to_owned(), |number| number.to_string())
        }
    };
    normalize(current) == normalize(target.as_str())
}

/// The kind of a module name on this machine.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ModuleKind {
    /// A module that can be loaded.
    Module,
    /// A part of the kernel itself.
    BuiltIn,
    /// An alias of the module with this name.
    Alias(String),
    /// An unknown name, with the message of `modprobe`.
    Nothing(String),
}

/// Asks `modprobe` which module it would load.
pub(super) async fn module_kind(cx: &Context, name: &ModuleName) -> Result<ModuleKind> {
    let command = Command::new("modprobe").args(["--show-depends", name.as_str()]);
    let (_, output) = tools::try_look(cx, command).await?;
    if !output.exit.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Ok(ModuleKind::Nothing(message.trim().to_owned()));
    }
    Ok(depends(name, &String::from_utf8_lossy(&output.stdout)))
}

/// Parses the output of `modprobe`: dependencies come first, and the module itself is the last line.
pub(super) fn depends(name: &ModuleName, printed: &str) -> ModuleKind {
    let last = printed.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut words = last.split_whitespace();
    match (words.next(), words.next()) {
        (Some("builtin"), _) => ModuleKind::BuiltIn,
        (Some("insmod"), Some(path)) => {
            let file = path.rsplit('/').next().unwrap_or_default();
            let module = file.split(".ko").next().unwrap_or_default();
            if name.matches(module) {
                ModuleKind::Module
            } else {
                ModuleKind::Alias(module.replace('-', "_"))
            }
        }
        // An install command of the administrator replaces the loading of the module.
        _ => ModuleKind::Module,
    }
}

/// Returns the parameters of the module, except for those that all modules have.
pub(super) async fn parameters(cx: &Context, name: &ModuleName) -> Result<Vec<String>> {
    let printed = tools::look(cx, "modinfo", ["--parameters", name.as_str()]).await?;
    let names = printed.lines().filter_map(|line| line.split_once(':'));
    Ok(names.map(|(name, _)| name.trim().to_owned()).collect())
}
