//! A reader of tar archives: the old format, POSIX, and GNU.
//!
//! The `tar` crate parses the headers only: its archive reader keeps long names of any length in memory.

use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use tar::{EntryType, Header, PaxExtensions};

use super::meter::fill;
use crate::net::unarchive::error::ArchiveError;
use crate::net::unarchive::manifest::{RawEntry, RawKind, Visitor};

const BLOCK: usize = 512;

/// The maximum number of bytes of an extension header.
const EXTENSION_BYTES: u64 = 1 << 20;

/// The number of bytes of a file that are passed on at once.
const PIECE: usize = 64 * 1024;

/// Whether a block is the beginning of a tar archive.
pub(super) fn is_beginning(block: &[u8]) -> bool {
    block.len() == BLOCK && (is_zero(block) || has_checksum(Header::from_byte_slice(block)))
}

fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|byte| *byte == 0)
}

fn has_checksum(header: &Header) -> bool {
    let mut right = header.clone();
    right.set_cksum();
    matches!((header.cksum(), right.cksum()), (Ok(found), Ok(right)) if found == right)
}

/// The values from extension headers before an entry.
#[derive(Default)]
struct Extended {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<SystemTime>,
    sparse: bool,
}

/// Reads the archive to the end of its stream, so that a checksum there is verified.
pub(super) fn read(mut from: impl Read, visitor: &mut dyn Visitor) -> Result<(), ArchiveError> {
    let mut extended = Extended::default();
    let mut block = [0; BLOCK];
    loop {
        match fill(&mut from, &mut block)? {
            0 => return Ok(()),
            BLOCK => {}
            _ => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
        if is_zero(&block) {
            io::copy(&mut from, &mut io::sink())?;
            return Ok(());
        }
        let header = Header::from_byte_slice(&block);
        if !has_checksum(header) {
            return Err(ArchiveError::Damaged("the checksum of an entry is wrong".to_owned()));
        }
        let size = header.entry_size()?;
        match header.entry_type() {
            EntryType::GNULongName => extended.name = Some(long_name(&mut from, size)?),
            EntryType::GNULongLink => extended.link = Some(long_name(&mut from, size)?),
            EntryType::XHeader => extended.read(&extension(&mut from, size)?)?,
            // A global header says the same about all entries, which is never their name or size.
            EntryType::XGlobalHeader => drop(extension(&mut from, size)?),
            kind => entry(&mut from, header, kind, std::mem::take(&mut extended), visitor)?,
        }
    }
}

fn entry(
    from: &mut impl Read,
    header: &Header,
    entry_type: EntryType,
    extended: Extended,
    visitor: &mut dyn Visitor,
) -> Result<(), ArchiveError> {
    let name = extended.name.unwrap_or_else(|| header.path_bytes().into_owned());
    let link = || {
        let link = header.link_name_bytes().map(std::borrow::Cow::into_owned);
        extended.link.or(link).unwrap_or_default()
    };
    let kind = match entry_type {
        EntryType::GNUSparse => RawKind::Special("sparse file"),
        _ if extended.sparse => RawKind::Special("sparse file"),
        // Old archives mark directories like this.
        EntryType::Regular if name.ends_with(b"/") => RawKind::Directory,
        EntryType::Regular | EntryType::Continuous => RawKind::File,
        EntryType::Directory => RawKind::Directory,
        EntryType::Symlink => RawKind::Symlink(link()),
        EntryType::Link => RawKind::HardLink(link()),
        EntryType::Char => RawKind::Special("character device"),
        EntryType::Block => RawKind::Special("block device"),
        EntryType::Fifo => RawKind::Special("pipe"),
        _ => RawKind::Special("thing of an unknown kind"),
    };
    let seconds = header.mtime().ok().map(Duration::from_secs);
    let modified = extended.modified.or_else(|| SystemTime::UNIX_EPOCH.checked_add(seconds?));
    let is_file = matches!(kind, RawKind::File);
    visitor.entry(RawEntry { name, kind, mode: header.mode()?, modified })?;
    let size = extended.size.map_or_else(|| header.entry_size(), Ok)?;
    content(from, size, |piece| if is_file { visitor.content(piece) } else { Ok(()) })?;
    visitor.end()
}

/// Reads `size` bytes and the rest of their last block.
fn content(
    from: &mut impl Read,
    size: u64,
    mut each: impl FnMut(&[u8]) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let mut piece = vec![0; PIECE.min(usize::try_from(size).unwrap_or(PIECE)).max(BLOCK)];
    let mut left = size;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(PIECE).min(piece.len());
        from.read_exact(&mut piece[..length])?;
        each(&piece[..length])?;
        left -= length as u64;
    }
    let remainder = usize::try_from(size % BLOCK as u64).unwrap_or_default();
    if remainder > 0 {
        from.read_exact(&mut piece[..BLOCK - remainder])?;
    }
    Ok(())
}

/// Returns the content of an extension header.
fn extension(from: &mut impl Read, size: u64) -> Result<Vec<u8>, ArchiveError> {
    if size > EXTENSION_BYTES {
        return Err(ArchiveError::Damaged(format!("a header has {size} bytes")));
    }
    let mut bytes = Vec::new();
    content(from, size, |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// Returns a name that is too long for a GNU header.
fn long_name(from: &mut impl Read, size: u64) -> Result<Vec<u8>, ArchiveError> {
    let mut name = extension(from, size)?;
    // The name ends with a NUL, and padding may follow.
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    name.truncate(end);
    Ok(name)
}

impl Extended {
    /// Parses the extended headers of POSIX.
    fn read(&mut self, records: &[u8]) -> Result<(), ArchiveError> {
        for record in PaxExtensions::new(records) {
            let record = record?;
            let value = record.value_bytes();
            match record.key_bytes() {
                b"path" => self.name = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"size" => self.size = Some(number(value)?),
                b"mtime" => {
                    let integer = value.split(|byte| *byte == b'.').next().unwrap_or_default();
                    // Times before 1970 are ignored.
                    let seconds = number(integer).ok().map(Duration::from_secs);
                    self.modified = seconds.and_then(|duration| SystemTime::UNIX_EPOCH.checked_add(duration));
                }
                key if key.starts_with(b"GNU.sparse.") => self.sparse = true,
                _ => {}
            }
        }
        Ok(())
    }
}

fn number(digits: &[u8]) -> Result<u64, ArchiveError> {
    let text = std::str::from_utf8(digits).ok();
    let number = text.and_then(|text| text.parse().ok());
    number.ok_or_else(|| ArchiveError::Damaged("a number is invalid".to_owned()))
}
