//! Modules in an archive.

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

/// The modules in an archive, which is read once and then in memory.
///
/// It comes from memory or from a file: `&bytes[..]` and [`File`](std::fs::File) are readers, and so is
/// [`Cursor`](std::io::Cursor), which a zip needs, as it is read from its end.
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
/// - No more is unpacked than the `bytes` of the [`Limits`], with 512 bytes for each member, and a zip itself is no larger either. What has
///   more is refused as soon as that is read.
/// - All members are regular files and folders, with paths that stay in the archive, are UTF-8, and are there once. One that is not is
///   [an error](MemberError) with its name, and then nothing of the archive is used. Nothing is written to disk.
#[derive(Clone)]
pub struct ModulesIn {
    texts: Texts,
}

impl ModulesIn {
    /// Those in a tar archive.
    ///
    /// # Errors
    ///
    /// When it cannot be read, unpacks to more than it may, or has a member that it may not have.
    pub fn tar(archive: impl Read, limits: Limits) -> Result<Self, ArchiveError> {
        Self::unpacked(BufReader::new(archive), limits)
    }

    /// Those in a tar archive that is compressed with gzip.
    ///
    /// # Errors
    ///
    /// As for [`tar`](Self::tar).
    pub fn tar_gz(archive: impl Read, limits: Limits) -> Result<Self, ArchiveError> {
        Self::unpacked(MultiGzDecoder::new(BufReader::new(archive)), limits)
    }

    /// Those in a zip archive.
    ///
    /// # Errors
    ///
    /// As for [`tar`](Self::tar).
    pub fn zip(archive: impl Read + Seek, limits: Limits) -> Result<Self, ArchiveError> {
        let mut texts = Texts::default();
        zip::read(BufReader::new(archive), limits.bytes, &mut texts)?;
        Ok(Self { texts })
    }

    fn unpacked(archive: impl Read, limits: Limits) -> Result<Self, ArchiveError> {
        let mut texts = Texts::default();
        let mut archive = Metered::new(archive, limits.bytes);
        match tar::read(&mut archive, &mut texts) {
            // To the library it is an error of the file.
            Err(ArchiveError::Unreadable(_)) if archive.is_over() => {
                Err(ArchiveError::too_much(limits.bytes))
            }
            read => read.map(|()| Self { texts }),
        }
    }

    /// The names of all members that are files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.names()
    }
}

/// Leaves out the texts: there may be secrets in them.
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
        listing::is_among(self.names(), name, self.texts.find(name).is_some())
    }

    fn list(&self, base: Option<&str>, written: &str, _: &Reading) -> Result<Vec<FolderEntry>, SourceError> {
        let outside = || SourceError::Outside { written: written.to_owned() };
        let folder = relative_folder(base, written).ok_or_else(outside)?;
        listing::of_names(self.names(), &folder)
    }
}
