//! Opening and creation of the file of a store.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Database, DatabaseError, ReadableDatabase as _, StorageError};

use super::error::{Failure, OpenError, contained};
use super::holder::holder;
use super::tables::{KNOWN_FORMAT, Snapshot, Tables};

/// Opens or creates the store in a file, and returns the number of its transactions.
pub(super) fn open(path: &Path) -> Result<(Database, u64), OpenError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(path)?,
        Err(error) => return Err(refused(path)(error)),
        Ok(metadata) if metadata.is_dir() => return Err(OpenError::Folder { path: path.to_owned() }),
        Ok(metadata) if metadata.len() == 0 => {
            // redb would turn an empty file into a new store, and the loss of its resources would go
            // unnoticed.
            return Err(OpenError::Damaged { path: path.to_owned(), reason: "it is empty".to_owned() });
        }
        Ok(_) => {}
    }
    existing(path)
}

/// Opens the store in an existing file, and returns the number of its transactions.
pub(super) fn existing(path: &Path) -> Result<(Database, u64), OpenError> {
    let opened = contained(|| Ok(Database::open(path))).map_err(|failure| damaged(path, failure))?;
    let database = opened.map_err(|error| wrong(path, error))?;
    let damaged = |failure: Failure| damaged(path, failure);
    let check_format = || {
        let snapshot = Snapshot::new(database.begin_read()?);
        let format = snapshot.format()?;
        // Stores of other formats may count differently.
        let revision = if format == Some(KNOWN_FORMAT) { snapshot.revision()? } else { 0 };
        Ok((format, revision))
    };
    let (format, revision) = contained(check_format).map_err(damaged)?;
    match format {
        Some(KNOWN_FORMAT) => {}
        Some(format) => {
            return Err(OpenError::Format { path: path.to_owned(), found: format, known: KNOWN_FORMAT });
        }
        None => {
            let reason = "it is a database of another program".to_owned();
            return Err(OpenError::Foreign { path: path.to_owned(), reason });
        }
    }
    Ok((database, revision))
}

/// Creates a new store atomically: an incomplete file under the final name therefore means damage.
fn make(path: &Path) -> Result<(), OpenError> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(refused(folder))?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = Unfinished(folder.join(name));
    // Removes the file of an earlier process with this process id that was killed.
    unfinished.remove();
    fill(&unfinished.0).map_err(|failure| match failure {
        Failure::File(error) => refused(path)(io::Error::other(*error)),
        failure => damaged(path, failure),
    })?;
    match fs::hard_link(&unfinished.0, path) {
        // Another process has created the store meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        // Some file systems have no hard links.
        Err(_) => fs::rename(&unfinished.0, path).map_err(refused(path))?,
        Ok(()) => {}
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(refused(folder))
}

/// A temporary file that is removed on drop.
struct Unfinished(PathBuf);

impl Unfinished {
    fn remove(&self) {
        // The file may not exist.
        let _ = fs::remove_file(&self.0);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.remove();
    }
}

fn fill(path: &Path) -> Result<(), Failure> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
    let backend = FileBackend::new(file.map_err(StorageError::from)?)?;
    let database = Database::builder().create_with_backend(backend)?;
    let transaction = database.begin_write()?;
    Tables::open(&transaction)?.begin()?;
    transaction.commit()?;
    Ok(database.close()?)
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> OpenError {
    |source| OpenError::File { path: path.to_owned(), source }
}

fn wrong(path: &Path, error: DatabaseError) -> OpenError {
    let path = path.to_owned();
    match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
            OpenError::InUse { process: holder(&path), path }
        }
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
            OpenError::Foreign { path, reason: "it is another kind of file".to_owned() }
        }
        DatabaseError::Storage(StorageError::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => {
            OpenError::File { path, source: error }
        }
        DatabaseError::UpgradeRequired(version) => {
            OpenError::Foreign { path, reason: format!("it is a database of the old format {version}") }
        }
        error => OpenError::Damaged { path, reason: error.to_string() },
    }
}

fn damaged(path: &Path, failure: Failure) -> OpenError {
    let reason = match failure {
        Failure::Closed => "it cannot be opened".to_owned(),
        Failure::File(error) => error.to_string(),
        Failure::Record { key, source } => format!("{key}: {source}"),
        Failure::Damaged(reason) => reason,
    };
    OpenError::Damaged { path: path.to_owned(), reason }
}
