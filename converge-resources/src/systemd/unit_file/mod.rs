//! `systemd.unit.file`: what is in the file of a unit, or in a drop-in for it.

mod content;
mod name;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::UnitFile;

use crate::text::Text;
use content::Sections;
use name::{DropIn, UnitFileName};

/// Writes the file of a unit of systemd, a service, a timer or any other, or a drop-in that changes a unit of somebody else.
///
/// The file is `/etc/systemd/system/UNIT`, or `/etc/systemd/system/UNIT.d/DROP_IN.conf`, and systemd reads its files again. Nothing is
/// started or restarted: that is `systemd.unit.state`, with `on_change_of`.
///
/// # Guarantees
///
/// Before the file is placed, `systemd-analyze verify` looks at it in a folder of its own. What it refuses is not placed: the resource fails with
/// what it said, which names the line. The file is replaced as a whole. An apply that was killed before systemd had read the file is
/// finished by the next.
///
/// # Caveats
///
/// `systemd-analyze verify` also refuses a command that is not there, so the package of the program comes first. A file with a secret has mode
/// `0600`; what systemd tells of a running unit everybody can read all the same.
#[derive(Debug, Preparer)]
#[preparer(name = "systemd.unit.file", task = UnitFile, validate, footprint, example = "example.hcl")]
pub struct UnitFilePreparer {
    /// Name of the unit. Without a suffix like `.timer` it is a service. It may be a template: `backup@.service`.
    #[hcl(required, nonempty)]
    unit: UnitFileName,
    /// What the file contains.
    #[hcl(conflicts_with = "sections")]
    content: Option<Text>,
    /// The same as sections, keys and values: `{ Service = { ExecStart = "/bin/true" } }`. A list is one line for each of its values.
    sections: Option<Sections>,
    /// Name of a drop-in, without `.conf`: only what it says is changed of the unit, whose own file stays.
    drop_in: Option<DropIn>,
    /// Whether the unit is started at boot, as its `[Install]` section says.
    #[hcl(manages = "unit:enabled of unit", conflicts_with = "drop_in")]
    enabled: Option<bool>,
    /// Whether the file is to be there. A unit that is removed is disabled first, and is not stopped.
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
        let wrong = |field: &'static str, message: &str| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })])
        };
        match (self.text(), self.state.is_present()) {
            (None, true) => wrong("content", "`content` or `sections` says what is in the file"),
            (Some(text), true) if text.contains('\0') => wrong("content", "a unit has no zero bytes"),
            (Some(text), true) if self.enabled == Some(true) && !content::has_install(&text) => wrong(
                "enabled",
                "without a section `[Install]` that says for what it is started, a unit cannot be enabled",
            ),
            (_, false) if self.enabled == Some(true) => {
                wrong("enabled", "a unit whose file is removed cannot be enabled")
            }
            _ => Ok(()),
        }
    }
}

impl HasFootprint for UnitFilePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let path = self.unit.path(self.drop_in.as_ref());
        footprint.manages(kind::PATH, &path.to_string_lossy());
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
