//! Archives as a source of modules.

mod byte_limit;
mod error;
mod member;
mod tar;
#[cfg(test)]
mod tests;
mod text_table;
mod zip;

use std::fmt;
use std::io::{BufReader, Read, Seek};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;

use self::byte_limit::Metered;
use self::text_table::Texts;
use super::error::SourceError;
use super::listing;
use super::module_source::{ModuleSource, relative_folder};
use super::read_limits::Reading;
use crate::types::folder_entry::FolderEntry;
use crate::types::limits::Limits;

pub use self::error::{ArchiveError, MemberError};

/// The modules in an archive, which is read once and then kept in memory.
///
/// The archive comes from memory or from a file: `&bytes[..]` and [`File`](std::fs::File) are readers.
/// [`Cursor`](std::io::Cursor) is needed for a zip in memory, because a zip is read from its end.
///
/// ```
/// use std::io::Cursor;
/// use converge_core::load::{ArchiveError, ModulesIn};
/// use converge_core::Limits;
///
/// let nothing = Cursor::new(b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
/// assert_eq!(ModulesIn::zip(nothing, Limits::default())?.names().count(), 0);
/// # Ok::<(), ArchiveError>(())
/// ```
///
/// # Guarantees
///
/// - At most the `bytes` of the [`Limits`] are unpacked, counting 512 extra bytes for each member. A zip
///   itself is no larger either. A larger archive is refused as soon as the limit is reached.
/// - All members are regular files and folders, with unique UTF-8 paths that stay in the archive. Any other
///   member is [an error](MemberError) with its name, and nothing of the archive is used. Nothing is written
///   to disk.
#[derive(Clone)]
pub struct ModulesIn {
    texts: Texts,
}

impl ModulesIn {
    /// Reads the modules in a tar archive.
    ///
    /// # Errors
    ///
    /// Fails if the archive cannot be read, unpacks to more than the limit, or has a forbidden member.
    pub fn tar(archive: impl Read, limits: Limits) -> Result<Self, ArchiveError> {
        Self::unpacked(BufReader::new(archive), limits)
    }

    /// Reads the modules in a tar archive that is compressed with gzip.
    ///
    /// # Errors
    ///
    /// The same as for [`tar`](Self::tar).
    pub fn tar_gz(archive: impl Read, limits: Limits) -> Result<Self, ArchiveError> {
        Self::unpacked(MultiGzDecoder::new(BufReader::new(archive)), limits)
    }

    /// Reads the modules in a zip archive.
    ///
    /// # Errors
    ///
    /// The same as for [`tar`](Self::tar).
    pub fn zip(archive: impl Read + Seek, limits: Limits) -> Result<Self, ArchiveError> {
        let mut texts = Texts::default();
        zip::read(BufReader::new(archive), limits.bytes, &mut texts)?;
        Ok(Self { texts })
    }

    fn unpacked(archive: impl Read, limits: Limits) -> Result<Self, ArchiveError> {
        let mut texts = Texts::default();
        let mut archive = Metered::new(archive, limits.bytes);
        match tar::read(&mut archive, &mut texts) {
            // The library reports an exceeded limit as an error of the file.
            Err(ArchiveError::Unreadable(_)) if archive.is_over() => {
                Err(ArchiveError::too_much(limits.bytes))
            }
            read => read.map(|()| Self { texts }),
        }
    }

    /// Returns the names of all members that are files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.names()
    }
}

/// Leaves out the texts because they may contain secrets.
impl fmt::Debug for ModulesIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl ModuleSource for ModulesIn {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let name_of = || name.to_owned();
        match self.texts.find(name) {
            Some(Ok(text)) => {
                reading.check(name, text.len() as u64)?;
                Ok(Arc::clone(text))
            }
            Some(Err(offset)) => Err(SourceError::NotUtf8 { name: name_of(), offset: *offset }),
            None => {
                let reason = "there is no such file in the archive".to_owned();
                Err(SourceError::Unreadable { name: name_of(), reason })
            }
        }
    }

    fn exists(&self, name: &str, _: &Reading) -> Result<bool, SourceError> {
        listing::exists_in_paths(self.names(), name, self.texts.find(name).is_some())
    }

    fn list(
        &self,
        base: Option<&str>,
        reference: &str,
        _: &Reading,
    ) -> Result<Vec<FolderEntry>, SourceError> {
        let outside = || SourceError::Outside { written: reference.to_owned() };
        let folder = relative_folder(base, reference).ok_or_else(outside)?;
        listing::list_paths(self.names(), &folder)
    }
}
