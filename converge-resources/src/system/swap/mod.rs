//! The `system.swap` resource: swap space of the machine.

mod active_swaps;
#[cfg(test)]
mod model;
mod size;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Swap;

use super::device_tag;
use super::fstab::{self, Entry};
use size::Size;

/// Ensures that the machine swaps to a file or a device, now and at each boot.
///
/// With a `size`, the swap space is a file, which is created; without it, it is an existing device. `mkswap`
/// prepares the swap space, `swapon` activates it, and a line of `/etc/fstab` activates it at the next boot.
///
/// # Guarantees
///
/// A file is written in full, because the kernel does not swap to a file with holes, and only root can read
/// it from the beginning. It gets its name when it is complete: a full disk or a killed run leaves nothing of
/// it. Space with other contents is never prepared: neither a device with a file system, a partition table or
/// a part of a volume group, nor a file with anything but zeros in it. A link in the place of the file is an
/// error. The line is written to `/etc/fstab` after the swap space is active, and all other lines stay as
/// they are, byte for byte.
///
/// # Caveats
///
/// Before swap space is removed, or recreated with another size, its contents return to memory, so there must
/// be enough memory. The disk must have room for both the old and the new file. With `state = "absent"` a
/// file is removed, and a device stays prepared. The kernel does not swap to a file on btrfs, on tmpfs, or on
/// the layers of a container.
#[derive(Debug, Preparer)]
#[preparer(name = "system.swap", task = Swap, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct SwapPreparer {
    /// Path of the file or of the device.
    ///
    /// A device may also be `UUID=..`, `LABEL=..`, `PARTUUID=..` or `PARTLABEL=..`.
    #[hcl(required, nonempty)]
    source: String,
    /// Size of the file, such as `512M` or `2G`: each letter stands for a power of 1024.
    ///
    /// A file of another size is recreated.
    size: Option<Size>,
    /// The priority: the area with the highest is used first.
    ///
    /// Without it, the kernel decides, and an active area keeps its own.
    #[hcl(max = 32767)]
    priority: Option<u32>,
    /// Whether the machine is to swap to it.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for SwapPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let error = |field: &'static str, message: &str| {
            FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })
        };
        let mut errors = Vec::new();
        let source = self.source.as_str();
        let is_plain = !source.contains(char::is_control)
            && source.split('/').skip(1).all(|part| !part.is_empty() && part != "." && part != "..");
        let is_path = source.starts_with('/') && is_plain;
        if !device_tag::is_tag(source) && !is_path {
            errors.push(error(
                "source",
                "it is an absolute path without `.`, `..` and double slashes, or a device such as `UUID=..`",
            ));
        }
        if self.size.is_some() && (device_tag::is_tag(source) || source.starts_with("/dev/")) {
            errors.push(error("size", "a device has its own"));
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
            target: "none".to_owned(),
            kind: "swap".to_owned(),
            options,
            dump: 0,
            pass: 0,
        };
        Ok(Swap { source, size, priority, state, entry, steps: Vec::new() })
    }
}
