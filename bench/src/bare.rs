//! The least that could do the same work: a loop over the same system calls, and nothing else.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

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
/// cannot avoid.
pub(crate) fn create(files: &[(PathBuf, String)]) -> Result<(), BenchError> {
    for file in files {
        let (path, content) = file;
        if File::open(path).is_ok() {
            let (expected, got) = ("no file".to_owned(), "a file".to_owned());
            return Err(BenchError::WrongResult { step: "bare loop", expected, got });
        }
        let temporary = path.with_extension("new");
        let mut options = OpenOptions::new();
        let mut created =
            options.write(true).create_new(true).mode(0o600).open(&temporary).map_err(at(&temporary))?;
        created.write_all(content.as_bytes()).map_err(at(&temporary))?;
        drop(created);
        fs::rename(&temporary, path).map_err(at(path))?;
        verify(std::slice::from_ref(file))?;
    }
    Ok(())
}
