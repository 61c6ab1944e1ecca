//! The export of types as `.proto` files.
//!
//! Other programs read data with these files. An existing folder is therefore compared first. A change that
//! breaks stored data is refused, and so is a file that this export did not write.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use converge_controller::protobuf::{Breaking, Files, PROTO_FILES};

/// The file name of the descriptor set, which tools and reflection clients read.
const SET: &str = "converge.protoset";

/// The files of an export.
#[derive(Debug)]
pub(crate) struct Export {
    files: Files,
    contents: BTreeMap<String, Vec<u8>>,
}

/// The result of an export or a check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// The new or changed files.
    pub(crate) changed: Vec<PathBuf>,
    /// The number of unchanged files.
    pub(crate) unchanged: usize,
}

/// A reason why an export was refused or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    #[error("{} was not written by this command, and is left as it is: give another folder, or move it away", .path.display())]
    Foreign { path: PathBuf },
    #[error(
        "the types break what {} says:{}\nkeep what was there, or accept it with --allow-breaking",
        .path.display(), list(.breaking)
    )]
    Breaking { path: PathBuf, breaking: Vec<Breaking> },
    #[error("{} does not match the current types: write it again without --check", .path.display())]
    Outdated { path: PathBuf },
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
}

fn list(breaking: &[Breaking]) -> String {
    breaking.iter().fold(String::new(), |mut list, change| {
        let _ = write!(list, "\n  {change}");
        list
    })
}

impl Export {
    pub(crate) fn new(files: Files) -> Self {
        let mut contents: BTreeMap<_, _> =
            files.iter().map(|file| (file.path.clone(), file.to_string().into_bytes())).collect();
        for (path, text) in PROTO_FILES {
            // The imported files are written by hand.
            if files.iter().any(|file| file.imports.contains(path)) {
                contents.entry(path.to_owned()).or_insert_with(|| text.into());
            }
        }
        contents.insert(SET.to_owned(), files.descriptor_set());
        Self { files, contents }
    }

    /// Writes new and changed files to `folder`.
    ///
    /// If anything is refused, nothing is written.
    pub(crate) fn write(&self, folder: &Path, allow_breaking: bool) -> Result<Written, ExportError> {
        let written = self.compare(folder, allow_breaking)?;
        for path in &written.changed {
            let failed = |source| ExportError::File { path: path.clone(), source };
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
            if let Some(content) = self.contents.get(&name) {
                replace(path, content).map_err(failed)?;
            }
        }
        Ok(written)
    }

    /// Checks that `folder` is up to date.
    pub(crate) fn check(&self, folder: &Path) -> Result<Written, ExportError> {
        let mut written = self.compare(folder, false)?;
        if written.changed.is_empty() {
            return Ok(written);
        }
        Err(ExportError::Outdated { path: written.changed.swap_remove(0) })
    }

    /// Returns the files that a write would change.
    fn compare(&self, folder: &Path, allow_breaking: bool) -> Result<Written, ExportError> {
        let mut written = Written::default();
        for (name, content) in &self.contents {
            let path = folder.join(name);
            let found = match fs::read(&path) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    written.changed.push(path);
                    continue;
                }
                Err(source) => return Err(ExportError::File { path, source }),
            };
            if found == *content {
                written.unchanged += 1;
                continue;
            }
            if name == SET {
                let Ok(breaking) = self.files.breaking(&found) else {
                    return Err(ExportError::Foreign { path });
                };
                if !breaking.is_empty() && !allow_breaking {
                    return Err(ExportError::Breaking { path, breaking });
                }
            } else if !is_ours(name, &found) {
                return Err(ExportError::Foreign { path });
            }
            written.changed.push(path);
        }
        Ok(written)
    }
}

/// Whether an export wrote this `.proto` file, by its first line, or it comes with the program.
fn is_ours(name: &str, found: &[u8]) -> bool {
    let text = String::from_utf8_lossy(found);
    let first = text.lines().next().unwrap_or_default();
    let made = first.starts_with("// Made of ") && first.ends_with(" Change that, not this.");
    let comes_with_us = PROTO_FILES.iter().any(|(path, _)| *path == name);
    made || comes_with_us && text.lines().any(|line| line == "package converge.resource;")
}

/// Replaces a file atomically.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = folder.join(name);
    let written = fs::File::create(&unfinished).and_then(|mut file| file.write_all(content));
    let placed = written.and_then(|()| fs::rename(&unfinished, path));
    if placed.is_err() {
        // The file may be missing.
        let _ = fs::remove_file(&unfinished);
    }
    placed
}
