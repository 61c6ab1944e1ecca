//! The source files of a workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A library or program: its root file and all files that may belong to it.
#[derive(Debug)]
pub struct Target {
    /// The name in paths, with `_` for `-`; empty for a program, which nothing can import.
    pub name: String,
    /// The root file, such as `lib.rs` or `main.rs`.
    pub root: PathBuf,
    /// The texts by path, relative to the workspace.
    pub files: BTreeMap<PathBuf, String>,
}

/// Returns the libraries and programs of the workspace at `root`.
pub fn targets(root: &Path) -> Result<Vec<Target>, Error> {
    let manifest = read(&root.join("Cargo.toml"))?;
    let mut targets = Vec::new();
    for member in members(&manifest) {
        let folder = Path::new(member).join("src");
        if !root.join(&folder).is_dir() {
            continue;
        }
        let mut files = BTreeMap::new();
        collect(root, &folder, &mut files)?;
        for (file, is_library) in [("lib.rs", true), ("main.rs", false)] {
            let target_root = folder.join(file);
            if files.contains_key(&target_root) {
                let name = if is_library { library_name(member) } else { String::new() };
                targets.push(Target { name, root: target_root, files: files.clone() });
            }
        }
    }
    Ok(targets)
}

/// Returns the name of the library in a folder; `crates/value` holds `converge_value`.
fn library_name(member: &str) -> String {
    let package =
        member.strip_prefix("crates/").map_or_else(|| member.to_owned(), |name| format!("converge-{name}"));
    package.replace('-', "_")
}

/// Returns the entries of the `members` list of a workspace.
fn members(manifest: &str) -> impl Iterator<Item = &str> {
    let list = manifest.split_once("members = [").map_or("", |(_, rest)| rest);
    let list = list.split_once(']').map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2)
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, String>) -> Result<(), Error> {
    let path = root.join(folder);
    let failed = |source| Error::File { path: path.clone(), source };
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let relative = folder.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(root, &relative, files)?;
        } else if relative.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&root.join(&relative))?;
            files.insert(relative, text);
        }
    }
    Ok(())
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::File { path: path.to_owned(), source })
}
