//! The least that could do the same work: a loop over the same system calls, and nothing else.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::error::{BenchError, at};

/// Reads every file and compares it: open, fstat, read, close. This is what a plan cannot avoid.
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

/// Finds that every file is not there, writes it as one that is never half written (open a temporary file,
/// write, close, rename), and then verifies them. This is what an apply that looks, changes and looks again
/// cannot avoid, on a machine that never loses power.
pub(crate) fn create(files: &[(PathBuf, String)]) -> Result<(), BenchError> {
    for file in files {
        drop(begin(file)?);
        name(file)?;
        verify(std::slice::from_ref(file))?;
    }
    Ok(())
}

/// The same on a machine that may: what is written is on the disk before it gets its name, and the name before it is told.
/// The disk is waited for twice for so many files, which the engine applies together as well.
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
        let (expected, got) = ("no file".to_owned(), "a file".to_owned());
        return Err(BenchError::WrongResult { step: "bare loop", expected, got });
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

/// All are on one file system.
fn flush(open: &[File], group: &[(PathBuf, String)]) -> Result<(), BenchError> {
    let (Some(file), Some((path, _))) = (open.first(), group.first()) else { return Ok(()) };
    nix::unistd::syncfs(file).map_err(|error| at(path)(error.into()))
}
