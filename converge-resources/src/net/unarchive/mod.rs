//! `unarchive`: the content of an archive.

mod choice;
mod error;
mod extract;
mod manifest;
mod path;
mod read;
mod task;
#[cfg(test)]
mod tests;
mod tree_diff;

use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Unarchive;

use super::download_fields::Origin;
use crate::file::select::{Filter, Selection};
use crate::file::tree_attributes::Wanted;
use choice::Choice;
use manifest::Limits;
use tree_diff::Existing;

/// Puts the content of an archive into a directory.
///
/// The archive is a tar archive, as it is or compressed with gzip, bzip2, xz or zstd, or a zip archive. Which of these is found
/// out from its content, and not from its name.
///
/// A check compares each entry with what is there: whether it is a file, a directory or a symbolic link, what it contains or
/// where it leads, and its permissions. What is in the directory and not in the archive stays. A file with another content, or
/// something else in the place of an entry, is an error, and with `force` it is replaced; a directory is never replaced by
/// something else. What is missing and permissions that differ are corrected in any case.
///
/// # Guarantees
///
/// The whole archive is read and found to be harmless before anything is written, and each file appears as a whole. An
/// archive is refused when an entry would be outside of the directory or be written through a symbolic link of the archive;
/// when a link leads outside; when an entry is a device or a pipe, is there twice, or has a name that is not UTF-8; and when
/// it exceeds a limit. A symbolic link that is in the directory already is followed only when it leads to another place in it,
/// and when an unprivileged user owns it, or the directory that it is in, only to what belongs to that user.
///
/// The directory is opened once for a check and its apply, and all is done in what was opened: whoever may rename it, or
/// change what is in it meanwhile, leads nothing out of it.
///
/// An apply that was interrupted is completed by the next one. Each file has reached the disk before it gets its name, and all
/// of the archive before an apply has ended well.
///
/// # Caveats
///
/// Whatever the archive says, files belong to who applies unless `owner` or `group` is given, and lose set-user-id, set-group-id and sticky bits unless
/// `mode` has them. Directories are made accessible for their owner unless `dir_mode` says otherwise. A directory that is there already, and that the archive only
/// names in the paths of others, keeps its permissions, owner and group. A hard link becomes a file of its own. An archive from a
/// server is fetched once for each plan and apply, as only its content says whether anything differs.
///
/// The directory must exist: see `file.directory`.
#[derive(Debug, Preparer)]
#[preparer(name = "unarchive", task = Unarchive, validate, example = "example.hcl")]
pub struct UnarchivePreparer {
    #[hcl(embed)]
    origin: Origin,
    /// The directory. If it is a symbolic link, what it points to is used.
    #[hcl(required, nonempty, ensures = "path:tree")]
    destination: String,
    /// Whether files that are there and differ are replaced.
    #[hcl(default)]
    force: bool,
    /// Whether files and links that are there stay as they are, and only those that are not there are made.
    #[hcl(default, conflicts_with = "force")]
    only_if_missing: bool,
    /// How many folders are taken off the front of each path, as archives of a release have one with its name. What has no more names than that is
    /// left out.
    #[hcl(default)]
    strip: u16,
    /// Patterns for what is unpacked; without them everything is. `*.conf` is about names anywhere, `sub/*.conf` about paths after
    /// `strip`: see `glob` of `file.query`.
    include: Vec<Filter>,
    /// Patterns for what is not unpacked. A folder that one of them matches is left out with everything in it.
    exclude: Vec<Filter>,
    /// The most entries, with directories that only paths of others name. It is 100000 when nothing else is given.
    #[hcl(min = 1)]
    max_entries: Option<u64>,
    /// The most bytes that the archive may expand to, and that it may have itself. It is 8589934592 (8 GiB) when nothing else is given.
    #[hcl(min = 1)]
    max_size: Option<u64>,
    /// How many times as large as the archive itself its content may be, when that is more than 16 MiB. It is 500 when nothing
    /// else is given.
    #[hcl(min = 1)]
    max_ratio: Option<u64>,
    #[hcl(embed)]
    wanted: Wanted,
}

impl Validate for UnarchivePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.origin.validate()
    }
}

impl Resource for UnarchivePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Unarchive> {
        let usual = Limits::default();
        let limits = Limits {
            entries: self.max_entries.unwrap_or(usual.entries),
            size: self.max_size.unwrap_or(usual.size),
            ratio: self.max_ratio.unwrap_or(usual.ratio),
        };
        let (source, expected, options) = self.origin.into_parts(limits.size)?;
        Ok(Unarchive {
            source,
            destination: self.destination,
            hash_type: expected.as_ref().map(|expected| expected.hash_type),
            hash: expected.as_ref().map(|expected| expected.hash.to_string()),
            force: self.force,
            existing: match (self.force, self.only_if_missing) {
                (true, _) => Existing::Replace,
                (false, true) => Existing::Keep,
                (false, false) => Existing::Refuse,
            },
            choice: Arc::new(Choice {
                strip: self.strip.into(),
                selection: Selection { include: self.include, exclude: self.exclude },
            }),
            wanted: self.wanted,
            expected,
            limits,
            options,
            archive: None,
            found: None,
        })
    }
}
