//! Reading of tar archives.

use std::io::{self, Read};

use tar::{Archive, Entry, EntryType};

use super::error::{ArchiveError, MemberError};
use super::member::Member;
use super::text_table::Texts;

/// Reads an archive to the end of its stream, so that a checksum there is verified.
///
/// Everything that the library keeps in memory comes from `archive`, which is limited.
pub(super) fn read(archive: &mut impl Read, texts: &mut Texts) -> Result<(), ArchiveError> {
    let mut archive = Archive::new(archive);
    for entry in archive.entries()? {
        add(entry?, texts)?;
    }
    io::copy(archive.into_inner(), &mut io::sink())?;
    Ok(())
}

fn add(mut entry: Entry<'_, impl Read>, texts: &mut Texts) -> Result<(), ArchiveError> {
    let kind = entry.header().entry_type();
    if kind == EntryType::XGlobalHeader {
        // `git archive` writes such a header first; it is not a member.
        return Ok(());
    }
    let name = entry.path_bytes().into_owned();
    let member = Member::new(&name)?;
    let special = match kind {
        EntryType::Regular | EntryType::Continuous if is_sparse(&mut entry)? => Some("a sparse file"),
        EntryType::Regular | EntryType::Continuous | EntryType::Directory => None,
        EntryType::Symlink => Some("a symbolic link"),
        EntryType::Link => Some("a hard link"),
        EntryType::Char => Some("a character device"),
        EntryType::Block => Some("a block device"),
        EntryType::Fifo => Some("a named pipe"),
        EntryType::GNUSparse => Some("a sparse file"),
        _ => Some("of an unknown kind"),
    };
    if let Some(special) = special {
        return Err(member.wrong(MemberError::NotRegular(special)));
    }
    if kind == EntryType::Directory || member.is_folder() {
        return Ok(());
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    // The library does not report an archive that ends inside a member.
    if bytes.len() as u64 != entry.size() {
        return Err(member.wrong(MemberError::Incomplete));
    }
    texts.add(&member, bytes)
}

/// Returns whether POSIX headers declare holes; the content then differs from its size in the archive.
fn is_sparse(entry: &mut Entry<'_, impl Read>) -> io::Result<bool> {
    for extension in entry.pax_extensions()?.into_iter().flatten() {
        if extension?.key_bytes().starts_with(b"GNU.sparse.") {
            return Ok(true);
        }
    }
    Ok(false)
}
