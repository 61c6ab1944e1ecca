//! Baseline for the engine: a loop over the same system calls and nothing else.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::error::{BenchError, at};
use crate::module;

/// A loop that is started as a program of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    Verify,
    Create,
}

/// Reads or makes the files of a module.
pub(crate) fn run(kind: Kind, files: usize, folder: &Path) -> Result<(), BenchError> {
    let files = module::files(folder, files);
    match kind {
        Kind::Verify => verify(&files),
        Kind::Create => create_durably(&files),
    }
}

/// Reads every file and compares its content.
///
/// The system calls are open, fstat, read and close. A plan cannot avoid them.
pub(crate) fn verify(files: &[(PathBuf, String)]) -> Result<(), BenchError> {
    for (path, expected) in files {
        let mut file = File::open(path).map_err(at(path))?;
        let length = file.metadata().map_err(at(path))?.len();
        let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        file.read_to_end(&mut content).map_err(at(path))?;
        if content != expected.as_bytes() {
            return Err(BenchError::WrongResult {
                step: "bare loop",
                expected: expected.clone(),
                got: String::from_utf8_lossy(&content).into_owned(),
            });
        }
    }
    Ok(())
}

/// Creates every missing file atomically and then verifies all of them.
///
/// Each file is written under a temporary name and renamed. An apply that checks, changes and checks again
/// cannot avoid these calls on a machine that never loses power.
pub(crate) fn create(files: &[(PathBuf, String)]) -> Result<(), BenchError> {
    for file in files {
        drop(begin(file)?);
        name(file)?;
        verify(std::slice::from_ref(file))?;
    }
    Ok(())
}

/// Like [`create`], but survives a loss of power.
///
/// The content reaches the disk before the file gets its name, and the name reaches the disk before the
/// function returns. Each group of files waits for the disk twice. The engine applies the same number of
/// files together.
pub(crate) fn create_durably(files: &[(PathBuf, String)]) -> Result<(), BenchError> {
    for group in files.chunks(100) {
        let open = group.iter().map(begin).collect::<Result<Vec<_>, _>>()?;
        flush(&open, group)?;
        group.iter().try_for_each(name)?;
        flush(&open, group)?;
        verify(group)?;
    }
    Ok(())
}

fn temporary(path: &Path) -> PathBuf {
    path.with_extension("new")
}

fn begin((path, content): &(PathBuf, String)) -> Result<File, BenchError> {
    if File::open(path).is_ok() {
        let (expected, actual) = ("no file".to_owned(), "a file".to_owned());
        return Err(BenchError::WrongResult { step: "bare loop", expected, got: actual });
    }
    let temporary = temporary(path);
    let mut options = OpenOptions::new();
    let mut created =
        options.write(true).create_new(true).mode(0o600).open(&temporary).map_err(at(&temporary))?;
    created.write_all(content.as_bytes()).map_err(at(&temporary))?;
    Ok(created)
}

fn name((path, _): &(PathBuf, String)) -> Result<(), BenchError> {
    fs::rename(temporary(path), path).map_err(at(path))
}

/// Flushes one group of files; all of them must be on one file system.
fn flush(open: &[File], group: &[(PathBuf, String)]) -> Result<(), BenchError> {
    let (Some(file), Some((path, _))) = (open.first(), group.first()) else { return Ok(()) };
    nix::unistd::syncfs(file).map_err(|error| at(path)(error.into()))
}
