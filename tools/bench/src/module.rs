//! The measured module: independent files, as plain as possible.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{BenchError, at};

/// A module on disk and the files that it declares.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) path: PathBuf,
    /// The path and required content of each file.
    pub(crate) files: Vec<(PathBuf, String)>,
}

/// The properties that are declared for each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Content,
    /// The content, and the mode through a second resource.
    ContentAndMode,
}

/// Writes a module that declares `count` files in `directory`.
///
/// The directory is a parameter that each resource reads through a template, so that templates, lookups and edges
/// are part of what is measured.
pub(crate) fn write(
    path: &Path,
    directory: &Path,
    count: usize,
    declared: Declared,
) -> Result<Module, BenchError> {
    let mut text = format!("param \"dir\" {{\n  default = \"{}\"\n}}\n", directory.display());
    let files = files(directory, count);
    for (index, (_, content)) in files.iter().enumerate() {
        let name = name(index);
        let _ = write!(
            text,
            "\nfile.content \"{name}\" {{\n  destination = \"{{{{param `dir`}}}}/{name}\"\n  content = {content:?}\n}}\n",
        );
        if declared == Declared::ContentAndMode {
            let _ = write!(
                text,
                "\nfile.mode \"{name}\" {{\n  destination = \"{{{{param `dir`}}}}/{name}\"\n  mode = \"0600\"\n}}\n",
            );
        }
    }
    fs::write(path, text).map_err(at(path))?;
    Ok(Module { path: path.to_owned(), files })
}

/// Returns the path and required content of each file of a module.
pub(crate) fn files(directory: &Path, count: usize) -> Vec<(PathBuf, String)> {
    let file = |index| (directory.join(name(index)), format!("the content of file {index}\n"));
    (0..count).map(file).collect()
}

fn name(index: usize) -> String {
    format!("file-{index:06}")
}
