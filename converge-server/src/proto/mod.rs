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
        "the types break what was stored with {}:{}\nkeep what was there, or accept it with --allow-breaking",
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
        let summary = self.compare(folder, allow_breaking)?;
        for path in &summary.changed {
            let failed = |source| ExportError::File { path: path.clone(), source };
            let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
            if let Some(content) = self.contents.get(&name) {
                replace(path, content).map_err(failed)?;
            }
        }
        Ok(summary)
    }

    /// Checks that `folder` is up to date.
    pub(crate) fn check(&self, folder: &Path) -> Result<Written, ExportError> {
        let mut summary = self.compare(folder, false)?;
        if summary.changed.is_empty() {
            return Ok(summary);
        }
        Err(ExportError::Outdated { path: summary.changed.swap_remove(0) })
    }

    /// Returns the files that a write would change.
    fn compare(&self, folder: &Path, allow_breaking: bool) -> Result<Written, ExportError> {
        let mut summary = Written::default();
        for (name, content) in &self.contents {
            let path = folder.join(name);
            let current = match fs::read(&path) {
                Ok(current) => current,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    summary.changed.push(path);
                    continue;
                }
                Err(source) => return Err(ExportError::File { path, source }),
            };
            if current == *content {
                summary.unchanged += 1;
                continue;
            }
            if name == SET {
                let Ok(breaking) = self.files.breaking(&current) else {
                    return Err(ExportError::Foreign { path });
                };
                if !breaking.is_empty() && !allow_breaking {
                    return Err(ExportError::Breaking { path, breaking });
                }
            } else if !is_ours(name, &current) {
                return Err(ExportError::Foreign { path });
            }
            summary.changed.push(path);
        }
        Ok(summary)
    }
}

/// Whether an export wrote this `.proto` file, by its first line, or it comes with the program.
fn is_ours(name: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let first = text.lines().next().unwrap_or_default();
    let is_generated = first.starts_with("// Made of ") && first.ends_with(" Change that, not this.");
    let comes_with_us = PROTO_FILES.iter().any(|(path, _)| *path == name);
    is_generated || comes_with_us && text.lines().any(|line| line == "package converge.resource;")
}

/// Replaces a file atomically.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = folder.join(name);
    let result = fs::File::create(&unfinished).and_then(|mut file| file.write_all(content));
    let placed = result.and_then(|()| fs::rename(&unfinished, path));
    if placed.is_err() {
        // The file may be missing.
        let _ = fs::remove_file(&unfinished);
    }
    placed
}
