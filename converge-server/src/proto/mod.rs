//! Types as `.proto` files in a folder.
//!
//! What others read data with must not change under them, so a folder that was written before is compared first: a change
//! that stored data do not survive is refused, and so is a file that is not of this making.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use converge_controller::protobuf::{Breaking, Files, PROTO_FILES};

/// The descriptor set, which is what tools and reflection read.
const SET: &str = "converge.protoset";

/// The files of types, as they are to be in a folder.
#[derive(Debug)]
pub(crate) struct Export {
    files: Files,
    contents: BTreeMap<String, Vec<u8>>,
}

/// What has come, or would come, of an export.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// The files that are new or other than before.
    pub(crate) changed: Vec<PathBuf>,
    /// How many are as they were.
    pub(crate) unchanged: usize,
}

/// An export is refused, or fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    #[error("{} is not of this making, and is left as it is: give another folder, or move it away", .path.display())]
    Foreign { path: PathBuf },
    #[error(
        "the types break what {} says:{}\nkeep what was there, or accept it with --allow-breaking",
        .path.display(), list(.breaking)
    )]
    Breaking { path: PathBuf, breaking: Vec<Breaking> },
    #[error("{} is not what the types are now: write it anew without --check", .path.display())]
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
            // Written by hand, and imported by those of types.
            if files.iter().any(|file| file.imports.contains(path)) {
                contents.entry(path.to_owned()).or_insert_with(|| text.into());
            }
        }
        contents.insert(SET.to_owned(), files.descriptor_set());
        Self { files, contents }
    }

    /// Writes what is not in `folder` yet, or is other there. Nothing is written when something is refused.
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

    /// Sees that `folder` is as it would be written.
    pub(crate) fn check(&self, folder: &Path) -> Result<Written, ExportError> {
        let mut written = self.compare(folder, false)?;
        if written.changed.is_empty() {
            return Ok(written);
        }
        Err(ExportError::Outdated { path: written.changed.swap_remove(0) })
    }

    /// What would be written.
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

/// Whether a `.proto` file was written by an export: each says so in its first line, but those that come with us.
fn is_ours(name: &str, found: &[u8]) -> bool {
    let text = String::from_utf8_lossy(found);
    let first = text.lines().next().unwrap_or_default();
    let made = first.starts_with("// Made of ") && first.ends_with(" Change that, not this.");
    let comes_with_us = PROTO_FILES.iter().any(|(path, _)| *path == name);
    made || comes_with_us && text.lines().any(|line| line == "package converge.resource;")
}

/// Puts a file in its place when it is whole.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = folder.join(name);
    let written = fs::File::create(&unfinished).and_then(|mut file| file.write_all(content));
    let placed = written.and_then(|()| fs::rename(&unfinished, path));
    if placed.is_err() {
        // It need not be there.
        let _ = fs::remove_file(&unfinished);
    }
    placed
}
