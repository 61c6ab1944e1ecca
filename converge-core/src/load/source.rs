//! Where modules come from, and their texts.

use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::FileError;

/// The largest source that is accepted, in bytes.
const SOURCE_LIMIT: u64 = 16 * 1024 * 1024;

/// Where a module came from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// What messages call it.
    name: Arc<str>,
    location: Location,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Location {
    /// A text of this name, which is in no file.
    Text(Arc<str>),
    /// A file, with the path by which it is read.
    File { path: PathBuf, canonical: PathBuf },
}

/// Two sources are one when they are the same file, whatever each is called.
impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Source {}

impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl Source {
    /// A text that is in no file.
    pub(super) fn text(name: &str) -> Self {
        Self { name: name.into(), location: Location::Text(name.into()) }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The directory that is around it.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        match &self.location {
            Location::Text(_) => None,
            Location::File { path, .. } => path.parent().map(Path::to_owned),
        }
    }

    fn identity(&self) -> (bool, &Path) {
        match &self.location {
            Location::Text(name) => (false, Path::new(&**name)),
            Location::File { canonical, .. } => (true, canonical),
        }
    }
}

/// Finds and reads sources.
#[derive(Debug, Default)]
pub(super) struct Sources;

impl Sources {
    /// The file of a path that was given from outside.
    #[expect(
        clippy::disallowed_methods,
        reason = "modules are read where the program runs, not on the system"
    )]
    pub(super) fn file(&self, path: &Path) -> Result<Source, FileError> {
        let name = path.display().to_string();
        let canonical = std::fs::canonicalize(path).map_err(|error| unreadable(&name, &error))?;
        Ok(Source { name: name.into(), location: Location::File { path: path.to_owned(), canonical } })
    }

    /// What `written` means in a module that came from `base`.
    pub(super) fn resolve(&self, base: &Source, written: &str) -> Result<Source, FileError> {
        let path = written.strip_prefix("file://").unwrap_or(written);
        let path = Path::new(path.strip_prefix("./").unwrap_or(path));
        if path.is_absolute() {
            return self.file(path);
        }
        let Some(directory) = base.directory() else {
            return Err(FileError::NoPlace { name: written.to_owned() });
        };
        self.file(&directory.join(path))
    }

    /// The text of a source.
    #[expect(
        clippy::disallowed_methods,
        reason = "modules are read where the program runs, not on the system"
    )]
    pub(super) fn read(&self, source: &Source) -> Result<Arc<str>, FileError> {
        let name = source.name.to_string();
        let Location::File { path, .. } = &source.location else {
            return Err(FileError::NoPlace { name });
        };
        let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
        let mut bytes = Vec::new();
        // One byte past the limit tells a file that is too large from one that just fits, also when the
        // file is a pipe whose length nobody knows.
        let read =
            file.take(SOURCE_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&name, &error))?;
        if read as u64 > SOURCE_LIMIT {
            return Err(FileError::TooLarge { name, bytes: read as u64, limit: SOURCE_LIMIT });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(error) => Err(FileError::NotUtf8 { name, offset: error.utf8_error().valid_up_to() }),
        }
    }
}

fn unreadable(name: &str, error: &io::Error) -> FileError {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    };
    FileError::Unreadable { name: name.to_owned(), reason }
}
