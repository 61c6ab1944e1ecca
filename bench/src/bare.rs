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

/// Writes every file as one that is never half written: open a temporary file, write, close, rename.
pub(crate) fn create(files: &[(PathBuf, String)]) -> Result<(), BenchError> {
    for (path, content) in files {
        let temporary = path.with_extension("new");
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create_new(true).mode(0o600).open(&temporary).map_err(at(&temporary))?;
        file.write_all(content.as_bytes()).map_err(at(&temporary))?;
        drop(file);
        fs::rename(&temporary, path).map_err(at(path))?;
    }
    Ok(())
}
