//! The `.proto` files of type definitions.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::error::CliError;

/// The maximum size of a file in bytes, above the limit of a server.
const MOST_BYTES: u64 = 1024 * 1024;
/// The maximum number of files.
const MOST_FILES: usize = 1_000;
/// The maximum depth of nested folders.
const DEPTH: usize = 32;
/// The import paths of files that the server provides.
const SERVER_PROVIDED: [&str; 2] = ["converge/resource/", "google/protobuf/"];

/// A file of a definition.
#[derive(Debug)]
pub(super) struct File {
    /// The path on the command line, for messages.
    pub(super) display_path: PathBuf,
    pub(super) text: String,
}

/// The files of each definition, by their import paths.
pub(super) type Definitions = BTreeMap<String, BTreeMap<String, File>>;

/// Reads files, and all `.proto` files in folders.
#[expect(clippy::disallowed_methods, reason = "it is about files of the command")]
pub(super) fn read(paths: &[PathBuf]) -> Result<Definitions, CliError> {
    let mut files = BTreeMap::new();
    for path in paths {
        if path.is_dir() {
            folder(path, path, 0, &mut files)?;
        } else {
            add(path, &name(path), &mut files)?;
        }
    }
    if files.is_empty() {
        return Err(CliError::Message("the given paths contain no .proto file".to_owned()));
    }
    let mut definitions = Definitions::new();
    for (path, file) in files {
        let group = group(&file.text).ok_or_else(|| CliError::File {
            file: file.display_path.clone(),
            problem:
                "its package is not converge.GROUP.VERSION: write one such as `package converge.demo.v1;`"
                    .to_owned(),
        })?;
        definitions.entry(group.replace('_', "-")).or_default().insert(path, file);
    }
    Ok(definitions)
}

/// Returns the import path of a file named alone: its path below the working directory, or its name.
fn name(path: &Path) -> String {
    let parts: Option<Vec<&str>> = path
        .components()
        .filter(|component| *component != Component::CurDir)
        .map(|component| match component {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    parts.map_or_else(name, |parts| parts.join("/"))
}

#[expect(clippy::disallowed_methods, reason = "it is about files of the command")]
fn folder(
    root: &Path,
    directory: &Path,
    depth: usize,
    files: &mut BTreeMap<String, File>,
) -> Result<(), CliError> {
    let failed = |problem: String| CliError::File { file: directory.to_path_buf(), problem };
    if depth > DEPTH {
        return Err(failed(format!("folders are nested more than {DEPTH} levels deep")));
    }
    let entries = std::fs::read_dir(directory).map_err(|error| failed(format!("cannot read it: {error}")))?;
    for entry in entries {
        let entry = entry.map_err(|error| failed(format!("cannot read it: {error}")))?;
        let (path, kind) = (entry.path(), entry.file_type());
        let kind = kind.map_err(|error| failed(format!("cannot read it: {error}")))?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if is_hidden {
            continue;
        }
        // Symbolic links are not followed: they may lead anywhere, also to a parent folder.
        if kind.is_dir() {
            folder(root, &path, depth + 1, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            let name = name(relative);
            if !SERVER_PROVIDED.iter().any(|prefix| name.starts_with(prefix)) {
                add(&path, &name, files)?;
            }
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "it is about files of the command")]
fn add(path: &Path, name: &str, files: &mut BTreeMap<String, File>) -> Result<(), CliError> {
    use std::io::Read as _;

    let failed = |problem: String| CliError::File { file: path.to_path_buf(), problem };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| failed(format!("cannot read it: {error}")))?;
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| failed(format!("cannot read it: {error}")))?;
    if u64::try_from(text.len()).is_ok_and(|bytes| bytes > MOST_BYTES) {
        return Err(failed(format!("it has more than {MOST_BYTES} bytes")));
    }
    if files.len() >= MOST_FILES {
        return Err(failed(format!("there are more than {MOST_FILES} files")));
    }
    let file = File { display_path: path.to_path_buf(), text };
    match files.insert(name.to_owned(), file) {
        Some(other) if other.display_path != path => Err(failed(format!(
            "it would be stored as {name}, like {}: give the folder that contains both",
            other.display_path.display()
        ))),
        _ => Ok(()),
    }
}

/// Returns the group in the `package` of a file, as far as it can be found without compiling the file.
fn group(text: &str) -> Option<&str> {
    let mut is_comment = false;
    for line in text.lines() {
        let mut rest = line.trim();
        if is_comment {
            let Some((_, after)) = rest.split_once("*/") else { continue };
            (is_comment, rest) = (false, after.trim());
        }
        while let Some(inside) = rest.strip_prefix("/*") {
            let Some((_, after)) = inside.split_once("*/") else {
                is_comment = true;
                break;
            };
            rest = after.trim();
        }
        // A statement that precedes `package` on the same line ends with a semicolon.
        let mut statements = rest.split("//").next().unwrap_or_default().split(';').map(str::trim);
        let package = statements.find_map(|statement| statement.strip_prefix("package "));
        if let Some(package) = package.filter(|_| !is_comment) {
            let mut parts = package.trim().strip_prefix("converge.")?.split('.');
            let group = parts.next().filter(|group| !group.is_empty());
            return group.filter(|_| parts.next().is_some());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        #[track_caller]
        fn check(text: &str, expect: Option<&str>) {
            assert_eq!(group(text), expect, "{text}");
        }
        check("syntax = \"proto3\";\npackage converge.demo.v1;\n", Some("demo"));
        check("syntax = \"proto3\"; package converge.demo_two.v1; import \"a\";", Some("demo_two"));
        check(
            "// package converge.other.v1;\n/* package converge.other.v1;\n*/ package  converge.demo.v1 ;",
            Some("demo"),
        );
        check("/* one */ package converge.demo.v1;", Some("demo"));
        check("package converge.demo;", None);
        check("package demo.v1;", None);
        check("message A {}", None);
        check("", None);
    }

    #[test]
    fn names() {
        #[track_caller]
        fn check(path: &str, expect: &str) {
            assert_eq!(name(Path::new(path)), expect, "{path}");
        }
        check("album.proto", "album.proto");
        check("./demo/album.proto", "demo/album.proto");
        check("../demo/album.proto", "album.proto");
        check("/tmp/demo/album.proto", "album.proto");
    }
}
