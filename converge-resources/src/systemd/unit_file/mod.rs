//! The `systemd.unit.file` resource: the file of a unit, or a drop-in for it.

mod content;
mod mentions;
mod name;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::UnitFile;

use crate::text::Text;
use content::Sections;
use name::{DropIn, UnitFileName};

/// Writes the file of a systemd unit, or a drop-in that changes a unit from another source.
///
/// The unit is a service, a timer or any other. The file is `/etc/systemd/system/UNIT`, or
/// `/etc/systemd/system/UNIT.d/DROP_IN.conf`, and systemd reloads its unit files. Nothing is started or
/// restarted: for that, use `systemd.unit.state` with `on_change_of`.
///
/// The file is written after what its text names: the users and groups of `User=` and `Group=`, the programs
/// and paths of `ExecStart=` and similar settings, `EnvironmentFile=` and `WorkingDirectory=`.
///
/// # Guarantees
///
/// Before the file is written, `systemd-analyze verify` checks it in a separate directory. A refused file is
/// not written: the resource fails with the output of the check, which names the line. The file is replaced
/// as a whole. If an apply is killed before systemd has read the file, the next one finishes the work.
///
/// # Caveats
///
/// `systemd-analyze verify` also refuses a command that does not exist, so install the package of the program
/// first. A file with a secret has mode `0600`; nevertheless, everybody can read what systemd reports about a
/// running unit.
#[derive(Debug, Preparer)]
#[preparer(name = "systemd.unit.file", task = UnitFile, validate, footprint, example = "example.hcl")]
pub struct UnitFilePreparer {
    /// Name of the unit.
    ///
    /// Without a suffix like `.timer` it is a service. It may be a template: `backup@.service`.
    #[hcl(required, nonempty, touches = "path")]
    unit: UnitFileName,
    /// The content of the file.
    #[hcl(conflicts_with = "sections")]
    content: Option<Text>,
    /// The content as sections, keys and values: `{ Service = { ExecStart = "/bin/true" } }`.
    ///
    /// A list becomes one line for each of its values.
    sections: Option<Sections>,
    /// Name of a drop-in, without `.conf`.
    ///
    /// A drop-in changes only the settings that it contains; the unit's own file stays.
    drop_in: Option<DropIn>,
    /// Whether the unit is started at boot, as its `[Install]` section says.
    #[hcl(manages = "unit:enabled of unit", conflicts_with = "drop_in")]
    enabled: Option<bool>,
    /// Whether the file is to be present. A removed unit is disabled first, and is not stopped.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl UnitFilePreparer {
    fn text(&self) -> Option<Text> {
        self.content.clone().or_else(|| self.sections.as_ref().map(Sections::text))
    }
}

impl Validate for UnitFilePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let refuse = |field: &'static str, message: &str| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })])
        };
        match (self.text(), self.state.is_present()) {
            (None, true) => refuse("content", "write `content` or `sections`"),
            (Some(text), true) if text.contains('\0') => refuse("content", "a unit has no zero bytes"),
            (Some(text), true) if self.enabled == Some(true) && !content::has_install(&text) => {
                refuse("enabled", "a unit without a section `[Install]` cannot be enabled")
            }
            (_, false) if self.enabled == Some(true) => {
                refuse("enabled", "a unit whose file is removed cannot be enabled")
            }
            _ => Ok(()),
        }
    }
}

impl HasFootprint for UnitFilePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let path = self.unit.path(self.drop_in.as_ref());
        footprint.manages(kind::PATH, &path.to_string_lossy());
        if !self.state.is_present() {
            return;
        }
        if self.drop_in.is_some() {
            // A drop-in is verified together with its unit.
            footprint.needs(kind::PATH, &self.unit.path(None).to_string_lossy());
            footprint.needs(kind::PACKAGE, self.unit.stem());
        }
        if let Some(text) = self.text().filter(|text| !text.is_secret()) {
            mentions::for_each(&text, |kind, name| footprint.needs(kind, name));
        }
    }
}

impl Resource for UnitFilePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<UnitFile> {
        let content = self.text().unwrap_or_default();
        let path = self.unit.path(self.drop_in.as_ref());
        let Self { unit, drop_in, enabled, state, .. } = self;
        let destination = path.to_string_lossy().into_owned();
        Ok(UnitFile { unit, destination, content, state, path, drop_in, enabled, steps: Vec::new() })
    }
}
