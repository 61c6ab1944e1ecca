//! The imports between the entries of each folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use crate::error::Error;
use crate::parse::{Module, ModulePath, Modules};
use crate::source::Target;

/// The location of an import.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// The line.
    pub line: usize,
    /// The path as it is written; a glob ends with `*`.
    pub path: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.path)
    }
}

/// The imports between the entries of one folder with their locations, from importer to imported.
pub type Imports = BTreeMap<(String, String), BTreeSet<Place>>;

/// The folders of a crate by their paths in the workspace.
#[derive(Debug, Default)]
pub struct Folders {
    /// The imports between the entries of each folder.
    pub folders: BTreeMap<PathBuf, Imports>,
}

impl Folders {
    /// Reads a crate.
    pub fn read(target: &Target) -> Result<Self, Error> {
        let modules = Modules::read(target)?;
        let mut folders = Self::default();
        for (path, module) in &modules.by_path {
            folders.add_module(&modules, path, module);
        }
        Ok(folders)
    }

    fn add_module(&mut self, modules: &Modules, path: &ModulePath, module: &Module) {
        // A re-export from a descendant is no import until the module's own code uses it.
        let mut re_exported: BTreeMap<&str, ModulePath> = BTreeMap::new();
        let mut globs = Vec::new();
        for import in &module.mentions.uses {
            let Some(origin) = modules.resolve(path, &import.segments) else { continue };
            let from_below = origin.len() > module.home.len() && origin.starts_with(&module.home);
            if import.is_public && from_below {
                match &import.name {
                    Some(name) => drop(re_exported.insert(name, origin)),
                    None => globs.push(origin),
                }
                continue;
            }
            let star = if import.is_glob { "::*" } else { "" };
            let place = place(module, import.line, import.segments.join("::") + star);
            self.add(modules, module, &origin, place);
        }
        for mention in &module.mentions.paths {
            let first = mention.segments[0].as_str();
            let resolved =
                (mention.segments.len() > 1).then(|| modules.resolve(path, &mention.segments)).flatten();
            let origin = resolved.or_else(|| {
                let glob = || globs.iter().find(|glob| modules.defines(glob, first));
                re_exported.get(first).or_else(glob).cloned()
            });
            if let Some(origin) = origin {
                let place = place(module, mention.line, mention.segments.join("::"));
                self.add(modules, module, &origin, place);
            }
        }
    }

    /// Adds an import to the innermost folder that contains both ends.
    fn add(&mut self, modules: &Modules, module: &Module, origin: &ModulePath, place: Place) {
        let from = &module.home;
        let Some(to) = modules.by_path.get(origin).map(|origin| &origin.home) else { return };
        if from == to {
            return;
        }
        let depth = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        let Some(top) = modules.by_path.get(&from[..depth]) else { return };
        let file = top.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let entry = |path: &ModulePath| path.get(depth).cloned().unwrap_or_else(|| file.clone());
        let mut folder = top.file.with_extension("");
        if depth == 0 || file == "mod.rs" {
            folder.pop();
        }
        let imports = self.folders.entry(folder).or_default();
        imports.entry((entry(from), entry(to))).or_default().insert(place);
    }
}

fn place(module: &Module, line: usize, path: String) -> Place {
    Place { file: module.file.clone(), line, path }
}
