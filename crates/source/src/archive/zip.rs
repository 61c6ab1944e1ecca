//! Reading of zip archives.

use std::collections::BTreeSet;
use std::io::{self, Read, Seek, SeekFrom};

use zip::ZipArchive;
use zip::result::ZipError;

use super::error::{ArchiveError, MemberError};
use super::member::Member;
use super::text_table::Texts;

/// The bits of a mode that hold the kind of file.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const SYMLINK: u32 = 0o120_000;

/// The number of bytes counted for each member beside its content, as in a tar.
const MEMBER_BYTES: u64 = 512;

/// The signature of an entry in the central directory.
///
/// The constants below give its fixed length and the offsets of the lengths of its texts.
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const TEXT_LENGTHS: [usize; 3] = [28, 30, 32];

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

pub(super) fn read(mut from: impl Read + Seek, maximum: u64, texts: &mut Texts) -> Result<(), ArchiveError> {
    let too_much = || ArchiveError::too_much(maximum);
    // The central directory is in memory as soon as the archive is open.
    if from.seek(SeekFrom::End(0))? > maximum {
        return Err(too_much());
    }
    let mut archive = ZipArchive::new(from)?;
    // The library keeps only the last member of a name.
    if archive.has_duplicate_names() {
        return Err(duplicate(archive)?);
    }
    // This also refuses members that share their content, and those with two names.
    archive.validate_header_consistency()?;
    let mut left = maximum;
    for index in 0..archive.len() {
        left = left.checked_sub(MEMBER_BYTES).ok_or_else(too_much)?;
        let mut file = archive.by_index(index)?;
        let name = file.name_raw().to_vec();
        let member = Member::new(&name)?;
        let special = match file.unix_mode().map_or(0, |mode| mode & KIND) {
            0 | REGULAR | FOLDER => None,
            SYMLINK => Some("a symbolic link"),
            _ => Some("a device, a pipe or a socket"),
        };
        if let Some(special) = special {
            return Err(member.wrong(MemberError::NotRegular(special)));
        }
        if member.is_folder() {
            continue;
        }
        let mut bytes = Vec::new();
        file.by_ref().take(left.saturating_add(1)).read_to_end(&mut bytes)?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(too_much)?;
        texts.add(&member, bytes)?;
    }
    Ok(())
}

/// Returns the error for the first repeated name, which only the central directory shows.
fn duplicate(archive: ZipArchive<impl Read + Seek>) -> io::Result<ArchiveError> {
    let start = archive.central_directory_start();
    let mut from = archive.into_inner();
    from.seek(SeekFrom::Start(start))?;
    let (mut names, mut entry) = (BTreeSet::new(), [0; ENTRY_BYTES]);
    loop {
        from.read_exact(&mut entry)?;
        if !entry.starts_with(ENTRY) {
            return Ok(ArchiveError::Unreadable("two members have one name".to_owned()));
        }
        let [name, extra, comment] =
            TEXT_LENGTHS.map(|offset| u16::from_le_bytes([entry[offset], entry[offset + 1]]));
        let mut bytes = vec![0; usize::from(name)];
        from.read_exact(&mut bytes)?;
        from.seek_relative(i64::from(extra) + i64::from(comment))?;
        if !names.insert(bytes.clone()) {
            let member = Member { name: &bytes, path: String::new() };
            return Ok(member.wrong(MemberError::Twice));
        }
    }
}
