//! `system.mount`: what is mounted at a path.
//!
//! `filesystem` makes the file system as well, and has systemd mount it by a unit. This one edits `/etc/fstab`, which all programs know that mount
//! something, and works with any source.

mod kernel;
#[cfg(test)]
mod model;
mod options;
mod source;
mod task;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::Mount;

use task::MountState;

use super::fstab::{self, Entry};
use crate::mount_fields::{Directory, MountOption};

/// Mounts a file system, or another part of the tree, now and at each boot.
///
/// What is to be mounted is a line of `/etc/fstab`, and it is mounted by `mount`. The directory is made where there is none. When other options are
/// declared, it is mounted anew with these without being unmounted.
///
/// # Guarantees
///
/// All other lines of the file stay as they are, byte for byte; in its own line only the fields change that differ. A new line gets into the file
/// after what it says was mounted: what cannot be mounted does not stop the next boot. Where something is mounted that neither the module nor the file
/// says, the resource fails and leaves it there. A destination that is a link, or has one on its way, is an error, as is a type that the kernel does
/// not have. `/` is never unmounted.
///
/// # Caveats
///
/// Nothing is unmounted that is in use, and the directory stays when it was. Which of the options are in effect is seen of those that the kernel shows
/// for each mount: `ro`, `nosuid`, `nodev`, `noexec`, `noatime` and their kin. Others, such as `size=64m`, take effect when their line changes. In a
/// container, nothing can be mounted unless it was given that right.
#[derive(Debug, Preparer)]
#[preparer(name = "system.mount", task = Mount, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct MountPreparer {
    /// Path of the directory where it is mounted.
    #[hcl(required, nonempty, manages = "path:mount", ensures = "path:tree")]
    destination: Directory,
    /// What is mounted: the path of a device, `UUID=..`, `LABEL=..`, `PARTUUID=..` or `PARTLABEL=..` of one, `host:/path` of NFS, `//host/share` of CIFS,
    /// the path of another directory with the option `bind`, or any word for a file system of the kernel such as `tmpfs`.
    #[hcl(required_if = "state=mounted")]
    source: Option<String>,
    /// Type of the file system, as `mount` knows it: `ext4`, `nfs`, `cifs`, `tmpfs`; `none` with the option `bind`.
    #[hcl(
        required_if = "state=mounted",
        pattern = "^([A-Za-z0-9][A-Za-z0-9_.+-]*)?$",
        expects = "the type of a file system, such as ext4 or nfs"
    )]
    fstype: Option<String>,
    /// Options of the mount, as in `["noatime", "nofail"]`. Every user of the machine can read them, in the file and among the arguments of `mount`: a
    /// file with a password is named by an option, such as `credentials=/etc/cifs`, and
    /// is written before it is mounted where the module has it.
    #[hcl(default)]
    options: Vec<MountOption>,
    /// Whether `dump` makes backups of it: 0 is no.
    #[hcl(default)]
    dump: u32,
    /// When `fsck` looks at it at boot: 1 for the root, 2 for others, 0 for never.
    #[hcl(default, max = 9)]
    pass: u32,
    /// Whether it is mounted, now and at each boot.
    #[hcl(default = "mounted", removes = "absent")]
    state: MountState,
    /// Path of the file.
    #[hcl(default = "/etc/fstab", nonempty, pattern = "^/", expects = "an absolute path")]
    file: String,
}

/// Options of which each names a file with who it is that mounts.
const WITH_PASSWORD: [&str; 2] = ["credentials", "cred"];

impl Validate for MountPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |field: &'static str, message: &str| {
            FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })
        };
        let mut errors = Vec::new();
        let is_wanted = matches!(self.state, MountState::Mounted | MountState::Present);
        match self.source.as_deref() {
            Some("") if is_wanted => errors.push(wrong("source", "it is empty")),
            Some(source) if source.contains(char::is_control) || source.starts_with(['#', '-']) => {
                errors.push(wrong("source", "it begins with `#` or `-`, or has letters that control"));
            }
            None if self.state == MountState::Present => {
                errors.push(wrong("source", "it is required, as `state` is \"present\""));
            }
            _ => {}
        }
        match self.fstype.as_deref() {
            Some("") if is_wanted => errors.push(wrong("fstype", "it is empty")),
            None if self.state == MountState::Present => {
                errors.push(wrong("fstype", "it is required, as `state` is \"present\""));
            }
            Some("swap") => errors.push(wrong("fstype", "what is swapped to is for `system.swap`")),
            _ => {}
        }
        if self.destination.is_root() && !is_wanted {
            errors.push(wrong("destination", "`/` is never unmounted"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for MountPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if self.state != MountState::Unmounted {
            footprint.touches(kind::PATH, &self.file);
        }
        // What begins with two slashes is a share of another machine.
        let is_path = |source: &&str| source.starts_with('/') && !source.starts_with("//");
        if let Some(source) = self.source.as_deref().filter(is_path) {
            footprint.needs(kind::PATH, source);
        }
        let with_password = self.options.iter().filter_map(|option| option.as_str().split_once('='));
        for (_, path) in
            with_password.filter(|(name, path)| WITH_PASSWORD.contains(name) && path.starts_with('/'))
        {
            footprint.needs(kind::PATH, path);
        }
    }
}

impl Resource for MountPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Mount> {
        let Self { destination, source, fstype, options, dump, pass, state, file } = self;
        let options = options.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let entry = Entry {
            source: source.clone().unwrap_or_default(),
            place: destination.to_string(),
            kind: fstype.clone().unwrap_or_default(),
            options: if options.is_empty() { fstab::DEFAULTS.to_owned() } else { options },
            dump,
            pass,
        };
        let path = PathBuf::from(&file);
        Ok(Mount { destination, source, fstype, state, file, entry, path, steps: Vec::new() })
    }
}
