//! The `unarchive` resource: the content of an archive in a directory.

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

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Unarchive;

use super::download_fields::Origin;
use crate::file::select::{Filter, Selection};
use crate::file::tree_attributes::Wanted;
use choice::Choice;
use manifest::Limits;
use tree_diff::Existing;

/// Unpacks an archive into a directory.
///
/// The archive is a tar archive, uncompressed or compressed with gzip, bzip2, xz or zstd, or a zip archive.
/// The format is detected from its content, not from its name.
///
/// A check compares each entry with the directory: its kind (file, directory or symbolic link), its content
/// or target, and its permissions. Files in the directory that are not in the archive stay. A file with
/// another content, or something else in the place of an entry, is an error; with `force` it is replaced. A
/// directory is never replaced by something else. Missing entries and differing permissions are corrected in
/// any case.
///
/// # Guarantees
///
/// The whole archive is read and validated before anything is written, and each file appears as a whole. An
/// archive is refused if an entry would be outside of the directory or be written through a symbolic link of
/// the archive; if a link leads outside; if an entry is a device or a pipe, occurs twice, or has a name that
/// is not UTF-8; and if it exceeds a limit. An existing symbolic link in the directory is followed only if
/// its target is in the directory as well. If an unprivileged user owns the link, or the directory that
/// contains it, it is followed only to files of that user.
///
/// The directory is opened once for a check and its apply, and all work is done through that open directory.
/// Somebody who renames it, or changes its contents meanwhile, cannot redirect the work outside of it.
///
/// An interrupted apply is completed by the next one. Each file has reached the disk before it gets its name,
/// and the whole archive before an apply succeeds.
///
/// # Caveats
///
/// Whatever the archive says, files belong to the user who runs the apply unless `owner` or `group` is given.
/// They lose set-user-id, set-group-id and sticky bits unless `mode` has them. Directories are made
/// accessible for their owner unless `dir_mode` says otherwise. An existing directory without an entry of its
/// own in the archive keeps its permissions, owner and group. A hard link becomes a file of its own. An
/// archive from a server is fetched once for each plan and apply, because only its content shows whether
/// anything differs.
///
/// The directory must exist: see `file.directory`. A `file.directory` below it with `create_all` comes first.
#[derive(Debug, Preparer)]
#[preparer(name = "unarchive", task = Unarchive, validate, example = "example.hcl")]
pub struct UnarchivePreparer {
    #[hcl(embed)]
    origin: Origin,
    /// The directory. If it is a symbolic link, its target is used.
    #[hcl(required, nonempty, needs = "path:existence", ensures = "path:tree")]
    destination: String,
    /// Whether existing files that differ are replaced.
    #[hcl(default)]
    force: bool,
    /// Whether existing files and links stay as they are, so that only missing ones are created.
    #[hcl(default, conflicts_with = "force")]
    only_if_missing: bool,
    /// The number of leading directories that are removed from each path.
    ///
    /// Archives of releases often have one with their name. Entries with no more names than that are left
    /// out.
    #[hcl(default)]
    strip: u16,
    /// Patterns for the entries to unpack; the default is everything.
    ///
    /// `*.conf` matches names anywhere, `sub/*.conf` matches paths after `strip`: see `glob` of `file.query`.
    include: Vec<Filter>,
    /// Patterns for entries that are not unpacked.
    ///
    /// A directory that matches is left out with everything in it.
    exclude: Vec<Filter>,
    /// The maximum number of entries, including directories without an entry of their own.
    ///
    /// The default is 100000.
    #[hcl(min = 1)]
    max_entries: Option<u64>,
    /// The maximum number of bytes of the archive, and of its expanded content.
    ///
    /// The default is 8589934592 (8 GiB).
    #[hcl(min = 1)]
    max_size: Option<u64>,
    /// The maximum ratio of the expanded content to the size of the archive. The default is 500.
    ///
    /// The limit applies if the content is more than 16 MiB.
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
