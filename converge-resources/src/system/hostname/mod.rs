//! The `system.hostname` resource: the name of the machine.

mod edit;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Hostname;

use crate::system::host_name::HostName;

/// The maximum length of a host name in Linux, in bytes.
const LONGEST: usize = 64;

/// Ensures that the machine has a name, now and after each boot.
///
/// The name is the line of `/etc/hostname`, which systemd and others read at boot. It is also written to
/// `/proc/sys/kernel/hostname`: programs that watch this file, such as systemd, notice at once. The pretty
/// name is a line of `/etc/machine-info`.
///
/// # Guarantees
///
/// Comments of `/etc/hostname` and all other lines of `/etc/machine-info` stay as they are, byte for byte. A
/// file is replaced as a whole, unless it is a mount by itself, as in a container: there it is overwritten in
/// place. The kernel gets the name first, so that a failure leaves the files as they were.
///
/// # Caveats
///
/// The name gets no address: `system.hosts` does that. An open shell shows the name that was valid when it
/// was started. In a container the name can be set only if `/proc/sys` is writable; `live = false` leaves the
/// kernel unchanged.
#[derive(Debug, Preparer)]
#[preparer(
    name = "system.hostname",
    task = Hostname,
    validate,
    footprint,
    lock = "file.edit",
    example = "example.hcl"
)]
pub struct HostnamePreparer {
    /// The name, of at most 64 letters, digits, `-` and dots.
    #[hcl(required, nonempty)]
    name: HostName,
    /// A name for people, with any letters.
    ///
    /// An empty one is removed; without this field the present one stays.
    pretty: Option<String>,
    /// Whether the running kernel gets the name now. Otherwise the name takes effect at the next boot.
    #[hcl(default = true)]
    live: bool,
}

impl Validate for HostnamePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let error = |field: &'static str, message: String| {
            FieldError::new(field, FieldErrorKind::Invalid { message })
        };
        let mut errors = Vec::new();
        let name = self.name.as_str();
        if name.len() > LONGEST {
            errors.push(error(
                "name",
                format!("it has {} bytes: Linux takes names of at most {LONGEST}", name.len()),
            ));
        }
        if name.split('.').any(|part| part.ends_with('-')) {
            errors.push(error("name", "a part of it ends with `-`".to_owned()));
        }
        if self.pretty.as_deref().is_some_and(|pretty| pretty.contains(char::is_control)) {
            errors.push(error("pretty", "it has several lines, or other letters that control".to_owned()));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl HasFootprint for HostnamePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.manages("setting of the kernel", "kernel.hostname");
        footprint.touches(kind::PATH, task::FILE);
        if self.pretty.is_some() {
            footprint.touches(kind::PATH, task::INFO);
        }
    }
}

impl Resource for HostnamePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Hostname> {
        let Self { name, pretty, live } = self;
        Ok(Hostname { name, pretty, live, steps: Vec::new() })
    }
}
