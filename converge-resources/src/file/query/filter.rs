//! The filter for paths that a pattern matches.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, SystemTime};

use converge_sdk::prelude::*;
use converge_sdk::system::{Directory, FileKind, Metadata, ReadAt};

use super::matches::Kind;
use crate::file::edit::pattern::Pattern;

/// The number of bytes of a file that are read at once.
const PIECE: usize = 64 * 1024;

/// The maximum number of bytes of a line that are examined; text files have no longer lines.
const LINE: usize = 1 << 20;

/// The maximum number of bytes that one query reads to find lines.
///
/// Without the limit, anybody who may write to a directory could keep a run busy with one endless file.
const READ: u64 = 1 << 30;

/// The number of bytes that may still be read.
#[derive(Debug)]
pub(super) struct ReadBudget(u64);

impl Default for ReadBudget {
    fn default() -> Self {
        Self(READ)
    }
}

impl ReadBudget {
    fn spend(&mut self, bytes: usize, path: &Path) -> Result<()> {
        self.0 = self.0.checked_sub(bytes as u64).ok_or_else(|| {
            Error::msg(format!(
                "`contains` would read more than 1 GiB, and was at {}: let `glob` find fewer files, or leave large ones out \
                 with `max_size`",
                path.display()
            ))
        })?;
        Ok(())
    }
}

/// The conditions on files that a pattern matches. Conditions that are not declared are `None`.
#[derive(Debug, Default)]
pub(super) struct FileFilter {
    pub(super) kind: Option<Kind>,
    pub(super) min_age: Option<Duration>,
    pub(super) max_age: Option<Duration>,
    pub(super) min_size: Option<u64>,
    pub(super) max_size: Option<u64>,
    pub(super) contains: Option<Pattern>,
}

impl FileFilter {
    /// Whether the metadata of a file meets the conditions.
    pub(super) fn fits(&self, metadata: &Metadata, now: SystemTime) -> bool {
        let age = || metadata.modified.and_then(|modified| now.duration_since(modified).ok());
        let is_file = metadata.kind == FileKind::File;
        self.kind.is_none_or(|kind| kind == Kind::from(metadata.kind))
            && self.min_age.is_none_or(|minimum| age().is_some_and(|age| age >= minimum))
            // A time in the future counts as recent.
            && self.max_age.is_none_or(|maximum| age().unwrap_or_default() <= maximum)
            && self.min_size.is_none_or(|minimum| is_file && metadata.len >= minimum)
            && self.max_size.is_none_or(|maximum| is_file && metadata.len <= maximum)
            && (self.contains.is_none() || is_file)
    }

    /// Whether the content of a file meets the conditions.
    pub(super) async fn holds(
        &self,
        cx: &Context,
        folder: &dyn Directory,
        name: &OsStr,
        budget: &mut ReadBudget,
    ) -> Result<bool> {
        let Some(pattern) = &self.contains else { return Ok(true) };
        // The file may have been removed meanwhile.
        let Some(file) = folder.open(name).await? else { return Ok(false) };
        has_line(cx, &*file, pattern, (budget, &folder.path().join(name))).await
    }
}

/// Whether a line of a file matches.
///
/// Bytes that are not UTF-8 match only a pattern that matches anything.
async fn has_line(
    cx: &Context,
    file: &dyn ReadAt,
    pattern: &Pattern,
    (budget, path): (&mut ReadBudget, &Path),
) -> Result<bool> {
    let matches = |line: &[u8]| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        pattern.regex().is_match(&String::from_utf8_lossy(&line[..line.len().min(LINE)]))
    };
    let (mut piece, mut offset) = (vec![0; PIECE], 0);
    // The start of a line whose end has not been read yet.
    let mut open = Vec::new();
    loop {
        cx.check_cancelled()?;
        let count = file.read_at(offset, &mut piece).await?;
        if count == 0 {
            return Ok(!open.is_empty() && matches(&open));
        }
        budget.spend(count, path)?;
        offset += count as u64;
        let mut lines = piece[..count].split(|byte| *byte == b'\n');
        let last = lines.next_back().unwrap_or_default();
        for line in lines {
            if open.is_empty() {
                if matches(line) {
                    return Ok(true);
                }
                continue;
            }
            extend(&mut open, line);
            if matches(&open) {
                return Ok(true);
            }
            open.clear();
        }
        extend(&mut open, last);
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
}

/// Appends to a line as much as there is room for.
fn extend(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LINE.saturating_sub(line.len());
    line.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_there_may_be() {
        let mut budget = ReadBudget::default();
        let (limit, path) = (usize::try_from(READ).unwrap(), Path::new("/srv/large"));
        budget.spend(limit - 1, path).unwrap();
        budget.spend(1, path).unwrap();
        budget.spend(0, path).unwrap();
        let error = budget.spend(1, path).unwrap_err().to_string();
        let expect = "`contains` would read more than 1 GiB, and was at /srv/large: let `glob` find fewer files, or leave";
        assert!(error.starts_with(expect) && error.ends_with("with `max_size`"), "{error}");
    }
}
