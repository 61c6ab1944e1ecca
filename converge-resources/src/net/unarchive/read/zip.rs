use std::io::{BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::bytes::ArchiveBytes;
use super::meter::Meter;
use crate::net::unarchive::error::ArchiveError;
use crate::net::unarchive::manifest::{Limits, RawEntry, RawKind, Visitor};

/// The bits of a mode that give the kind of file.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const SYMLINK: u32 = 0o120_000;

/// The mode of files from a system without modes.
const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;

/// The maximum length of a link target, and one byte.
const LINK_BYTES: u64 = 4096;

/// The number of bytes of a file that are passed on at once.
const PIECE: usize = 64 * 1024;

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => error.into(),
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
                Self::Unsupported("a password".to_owned())
            }
            ZipError::CompressionMethodNotSupported(number) => {
                Self::Unsupported(format!("the compression method {number}"))
            }
            ZipError::InvalidArchive(reason) => Self::Damaged(reason.into_owned()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

pub(super) fn read(
    bytes: ArchiveBytes,
    limits: Limits,
    meter: &mut Meter,
    visitor: &mut dyn Visitor,
) -> Result<(), ArchiveError> {
    let mut archive = ZipArchive::new(BufReader::with_capacity(PIECE, bytes))?;
    // The library keeps only the last entry of a name.
    if archive.has_duplicate_names() {
        return Err(ArchiveError::Damaged("two entries have one name".to_owned()));
    }
    if archive.len() as u64 > limits.entries {
        return Err(ArchiveError::TooMany(limits.entries));
    }
    let mut piece = vec![0; PIECE];
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        let name = file.name_raw().to_vec();
        let mode = file.unix_mode();
        let kind = match mode.map_or(0, |mode| mode & KIND) {
            SYMLINK => {
                let mut target = Vec::new();
                file.by_ref().take(LINK_BYTES).read_to_end(&mut target)?;
                meter.add(target.len())?;
                RawKind::Symlink(target)
            }
            DIRECTORY => RawKind::Directory,
            0 | REGULAR if name.ends_with(b"/") => RawKind::Directory,
            0 | REGULAR => RawKind::File,
            _ => RawKind::Special("device, pipe or socket"),
        };
        let usual = if matches!(kind, RawKind::Directory) { DIRECTORY_MODE } else { FILE_MODE };
        // Some programs write a mode without any permission if they know none.
        let mode = mode.filter(|mode| mode & 0o777 != 0).unwrap_or(usual);
        let is_file = matches!(kind, RawKind::File);
        visitor.entry(RawEntry { name, kind, mode, modified: None })?;
        if is_file {
            loop {
                let count = file.read(&mut piece)?;
                if count == 0 {
                    break;
                }
                meter.add(count)?;
                visitor.content(&piece[..count])?;
            }
        }
        visitor.end()?;
    }
    Ok(())
}
