//! Writing: a complete new file takes the place of its target at once.
//!
//! A new target costs `lstat`, an `open` for a leftover, `open`, `statx`, `write`, `linkat` and `close`.

use std::path::Path;

use super::staged::{SET_ID_BITS, Staged, WriteTarget};
use crate::system::{CommitFile, Ownership, SystemErrorKind, WriteFile};

pub(super) fn write(path: &Path, write: WriteFile<'_>) -> Result<(), SystemErrorKind> {
    let WriteFile { content, mode, ownership, durable } = write;
    let target = WriteTarget::resolve(path)?;
    let bits = target.mode(mode);
    // Until the file has its owner, nobody whom that owner would keep out may open it.
    let stays_ours = target.ownership(ownership) == Ownership::default();
    let first_mode = if stays_ours { bits & !SET_ID_BITS } else { bits & 0o700 };
    let mut staged = Staged::create(target, first_mode)?;
    staged.write(content)?;
    staged.commit(CommitFile { mode, ownership, modified: None, durable })?;
    Ok(())
}
