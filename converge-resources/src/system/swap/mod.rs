//! `system.swap`: where the machine swaps to.

mod active_swaps;
#[cfg(test)]
mod model;
mod size;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::Swap;

use super::device_tag;
use super::fstab::{self, Entry};
use size::Size;

/// Has the machine swap to a file or a device, now and at each boot.
///
/// With a `size` it is a file, which is made; without it is a device that is there. It is prepared by `mkswap`, used by `swapon`, and a line of
/// `/etc/fstab` says it for the next boot.
///
/// # Guarantees
///
/// A file is written in full, as the kernel swaps to no file with holes, and only root can read it from the beginning. It gets its name when it is
/// complete: a disk that is full, or a run that is killed, leaves nothing of it. What holds anything else is never prepared: neither a device
/// with a file system, a partition table or a part of a volume group, nor a file with anything but zeros in it. A link in the place of the file is an
/// error. A line gets into `/etc/fstab` after the machine swaps to what it says, and all other lines stay as they are, byte for byte.
///
/// # Caveats
///
/// What is in use is given back to memory before it is removed, or made anew with another size; there has to be room for it, and on the disk for the old
/// file and the new one. With `state = "absent"` a file is removed, and a device stays prepared. The kernel swaps to no file on btrfs, on tmpfs, or on
/// the layers of a container.
#[derive(Debug, Preparer)]
#[preparer(name = "system.swap", task = Swap, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct SwapPreparer {
    /// Path of the file or of the device. A device may be `UUID=..`, `LABEL=..`, `PARTUUID=..` or `PARTLABEL=..`, too.
    #[hcl(required, nonempty)]
    source: String,
    /// Size of the file, such as `512M` or `2G`: one of these letters stands for a power of 1024. A file of another size is made anew.
    size: Option<Size>,
    /// What is swapped to first: the higher. Without it, the kernel decides, and what is in use keeps its own.
    #[hcl(max = 32767)]
    priority: Option<u32>,
    /// Whether the machine is to swap to it.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for SwapPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |field: &'static str, message: &str| {
            FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })
        };
        let mut errors = Vec::new();
        let source = self.source.as_str();
        let is_plain = !source.contains(char::is_control)
            && source.split('/').skip(1).all(|part| !part.is_empty() && part != "." && part != "..");
        let is_path = source.starts_with('/') && is_plain;
        if !device_tag::is_tag(source) && !is_path {
            errors.push(wrong(
                "source",
                "it is an absolute path without `.`, `..` and double slashes, or a device such as `UUID=..`",
            ));
        }
        if self.size.is_some() && (device_tag::is_tag(source) || source.starts_with("/dev/")) {
            errors.push(wrong("size", "a device has its own"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for SwapPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.manages("swap", &self.source);
        footprint.touches(kind::PATH, fstab::FILE);
        if self.size.is_some() {
            footprint.manages(kind::PATH, &self.source);
        } else if self.source.starts_with('/') {
            footprint.needs(kind::PATH, &self.source);
        }
    }
}

impl Resource for SwapPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Swap> {
        let Self { source, size, priority, state } = self;
        let options = priority.map_or_else(|| "sw".to_owned(), |priority| format!("sw,pri={priority}"));
        let entry = Entry {
            source: source.clone(),
            place: "none".to_owned(),
            kind: "swap".to_owned(),
            options,
            dump: 0,
            pass: 0,
        };
        Ok(Swap { source, size, priority, state, entry, steps: Vec::new() })
    }
}
