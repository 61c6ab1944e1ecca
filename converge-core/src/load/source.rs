//! Reading module files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::LoadError;

/// The largest source that is accepted, in bytes.
pub(super) const SOURCE_LIMIT: u64 = 16 * 1024 * 1024;

/// Reads a module file as text.
#[expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]
pub(super) fn read(path: &Path) -> Result<String, LoadError> {
    let name = path.display().to_string();
    let unreadable = |error: &std::io::Error| {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            _ => error.to_string(),
        };
        LoadError::Unreadable { name: name.clone(), reason }
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::new();
    // One byte past the limit tells a file that is too large from one that just fits, also when the
    // file is a pipe whose length nobody knows.
    let read = file.take(SOURCE_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if read as u64 > SOURCE_LIMIT {
        return Err(LoadError::TooLarge { name, bytes: read as u64, limit: SOURCE_LIMIT });
    }
    String::from_utf8(bytes)
        .map_err(|error| LoadError::NotUtf8 { name, offset: error.utf8_error().valid_up_to() })
}
