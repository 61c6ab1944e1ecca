//! The `system.mount` resource: a mount at a path.
//!
//! `filesystem` also creates the file system, and mounts it by a systemd unit. This resource edits
//! `/etc/fstab`, which all mount tools know, and works with any source.

mod kernel;
#[cfg(test)]
mod model;
mod options;
mod source;
mod task;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Mount;

use task::MountState;

use super::fstab::{self, Entry};
use crate::mount_fields::{Directory, MountOption};

/// Mounts a file system, or another part of the tree, now and at each boot.
///
/// The mount is a line of `/etc/fstab`, and `mount` mounts it. A missing directory is created. If the options
/// change, the file system is remounted without being unmounted.
///
/// # Guarantees
///
/// All other lines of the file stay as they are, byte for byte; in the line of the mount, only differing
/// fields change. A new line is written after a successful mount, so that a mount that fails does not stop
/// the next boot. If something else is mounted that neither the module nor the file declares, the resource
/// fails and leaves it there. A destination with a symbolic link in its path is an error, as is a type that
/// the kernel does not have. `/` is never unmounted.
///
/// # Caveats
///
/// A mount in use is not unmounted, and the directory stays after an unmount. The effective options can be
/// compared only if the kernel shows them for each mount: `ro`, `nosuid`, `nodev`, `noexec`, `noatime` and
/// similar ones. Others, such as `size=64m`, take effect when the line changes. In a container, mounts need a
/// special privilege.
#[derive(Debug, Preparer)]
#[preparer(name = "system.mount", task = Mount, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct MountPreparer {
    /// Path of the directory where the source is mounted.
    #[hcl(required, nonempty, manages = "path:mount", ensures = "path:tree")]
    destination: Directory,
    /// The source of the mount.
    ///
    /// It is the path of a device, its `UUID=..`, `LABEL=..`, `PARTUUID=..` or `PARTLABEL=..`, `host:/path`
    /// for NFS, or `//host/share` for CIFS. With the option `bind` it is the path of another directory, and
    /// for a virtual file system such as `tmpfs` any word.
    #[hcl(required_if = "state=mounted")]
    source: Option<String>,
    /// Type of the file system, as `mount` names it, or `none` with the option `bind`.
    ///
    /// Examples are `ext4`, `nfs`, `cifs`, `tmpfs`.
    #[hcl(
        required_if = "state=mounted",
        pattern = "^([A-Za-z0-9][A-Za-z0-9_.+-]*)?$",
        expects = "the type of a file system, such as ext4 or nfs"
    )]
    fstype: Option<String>,
    /// Mount options, as in `["noatime", "nofail"]`.
    ///
    /// Every user of the machine can read them, in the file and among the arguments of `mount`. For a
    /// password, use an option that names a file, such as `credentials=/etc/cifs`; if the module declares
    /// that file, it is written before the mount.
    #[hcl(default, needs = "user, group, path")]
    options: Vec<MountOption>,
    /// Whether `dump` backs up the file system: 0 means no.
    #[hcl(default)]
    dump: u32,
    /// The order in which `fsck` checks the file system at boot: 1 for the root, 2 for others, 0 for never.
    #[hcl(default, max = 9)]
    pass: u32,
    /// Whether the source is mounted, now and at each boot.
    #[hcl(default = "mounted", removes = "absent")]
    state: MountState,
    /// Path of the file.
    #[hcl(default = "/etc/fstab", nonempty, pattern = "^/", expects = "an absolute path")]
    file: String,
}

impl Validate for MountPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let error = |field: &'static str, message: &str| {
            FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })
        };
        let mut errors = Vec::new();
        let is_wanted = matches!(self.state, MountState::Mounted | MountState::Present);
        match self.source.as_deref() {
            Some("") if is_wanted => errors.push(error("source", "it is empty")),
            Some(source) if source.contains(char::is_control) || source.starts_with(['#', '-']) => {
                errors.push(error("source", "it begins with `#` or `-`, or has letters that control"));
            }
            None if self.state == MountState::Present => {
                errors.push(error("source", "it is required, as `state` is \"present\""));
            }
            _ => {}
        }
        match self.fstype.as_deref() {
            Some("") if is_wanted => errors.push(error("fstype", "it is empty")),
            None if self.state == MountState::Present => {
                errors.push(error("fstype", "it is required, as `state` is \"present\""));
            }
            Some("swap") => errors.push(error("fstype", "swap space is for `system.swap`")),
            _ => {}
        }
        if self.destination.is_root() && !is_wanted {
            errors.push(error("destination", "`/` is never unmounted"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for MountPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if self.state != MountState::Unmounted {
            footprint.touches(kind::PATH, &self.file);
        }
        // Two leading slashes mean a share of another machine.
        let is_path = |source: &&str| source.starts_with('/') && !source.starts_with("//");
        if let Some(source) = self.source.as_deref().filter(is_path) {
            footprint.needs(kind::PATH, source);
        }
    }
}

impl Resource for MountPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Mount> {
        let Self { destination, source, fstype, options, dump, pass, state, file } = self;
        let options = options.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let entry = Entry {
            source: source.clone().unwrap_or_default(),
            target: destination.to_string(),
            kind: fstype.clone().unwrap_or_default(),
            options: if options.is_empty() { fstab::DEFAULTS.to_owned() } else { options },
            dump,
            pass,
        };
        let path = PathBuf::from(&file);
        Ok(Mount { destination, source, fstype, state, file, entry, path, steps: Vec::new() })
    }
}
