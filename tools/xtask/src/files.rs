//! Files and folders of the tasks.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::Error;

/// Removes a folder if it exists.
pub(crate) fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::at(folder)(source)),
        _ => Ok(()),
    }
}
