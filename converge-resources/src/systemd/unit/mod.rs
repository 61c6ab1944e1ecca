//! `systemd.unit.state`: whether a unit runs, and how it is started at boot.

mod decide;
mod dependencies;
mod drop_ins;
mod error;
mod failure;
mod job;
mod journal;
#[cfg(test)]
mod laws;
pub(super) mod name;
mod signal;
pub(super) mod snapshot;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::Unit;

use decide::{DesiredUnit, UnitState};
use name::UnitName;
use signal::Signal;
use task::OwnProperties;

use crate::systemd::properties::Properties;

/// Starts, stops and restarts a unit of systemd, enables and masks it, and has it read its configuration again.
///
/// Only what is written is managed: a unit with `enabled` alone is neither started nor stopped.
///
/// An apply ends when the unit has got where it should be. A service that cannot be started, that ends right after it
/// was started, or that never says that it is ready is an error, with systemd's reason and the last lines of the
/// unit's journal. It waits as long as the unit's own `TimeoutStartSec` and `TimeoutStopSec` allow, and 15 minutes where
/// these have no end; the meta-argument `timeout` makes that shorter.
///
/// # Changes of configuration
///
/// With `on_change_of` the unit takes notice of what changed: it is restarted; with `reload` it is reloaded, where it can;
/// with `signal_name` or `signal_number` it is sent the signal. Without `on_change_of`, `state = "restarted"`, `reload` and
/// signals do their work in each apply, as there is no other time for it, and the plan says so. That is the one case in which
/// a second apply is not without changes.
///
/// # Where it works
///
/// On Linux, where systemd runs the machine and the system bus (the package `dbus`) is there. To look at units takes no
/// privileges, to change them takes those of root, unless polkit has other rules.
#[derive(Debug, Preparer)]
#[preparer(name = "systemd.unit.state", task = Unit, validate, changes = "anything", example = "example.hcl", refresh)]
pub struct UnitPreparer {
    /// Name of the unit. Without a suffix like `.socket` it is a service; of a template it is an instance, as in
    /// `getty@tty1`. A unit that does not exist is an error, unless something that this resource depends on may be about to
    /// bring it.
    #[hcl(required, nonempty, needs = "path:tree, package")]
    unit: UnitName,
    /// `running`: is started when it does not run. `stopped`: is stopped when it runs. `restarted`: as `running`, and is
    /// restarted when it runs already, once in each apply, or with `on_change_of` only when something changed.
    #[hcl(manages = "unit:state of unit")]
    state: Option<UnitState>,
    /// Whether the unit is reloaded rather than restarted when it is to take notice of a change. A unit that cannot
    /// reload, as it has no `ExecReload`, is restarted.
    #[hcl(default)]
    reload: bool,
    /// A signal for all processes of the unit, by name: `HUP`, `SIGUSR1`. It is sent when the unit is to take notice of a
    /// change, and not to a unit that was only just started.
    #[hcl(mutually_exclusive = "signal_name,signal_number")]
    signal_name: Option<Signal>,
    /// The same, by number.
    #[hcl(mutually_exclusive = "signal_name,signal_number", min = 1, max = 31)]
    signal_number: Option<u8>,
    /// Whether the unit is started at boot, as its `[Install]` section says. A unit without that section is only ever
    /// started by others, which is no difference, and a warning.
    #[hcl(manages = "unit:enabled of unit")]
    enabled: Option<bool>,
    /// Whether the unit is masked, so that nothing can start it. It is stopped only when `state` says so.
    #[hcl(manages = "unit:masked of unit")]
    masked: Option<bool>,
    /// Whether systemd reads its unit files again when that of this unit has changed since. Without it, systemd goes on
    /// with what it read before.
    #[hcl(default = true)]
    daemon_reload: bool,
}

impl Validate for UnitPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let runs = matches!(self.state, Some(UnitState::Running | UnitState::Restarted));
        let message = match (self.masked, self.enabled) {
            (Some(true), _) if runs => {
                "a masked unit cannot be started: `masked` and `state` contradict each other"
            }
            (Some(true), Some(true)) => {
                "a masked unit is never started at boot: `masked` and `enabled` contradict each other"
            }
            _ => return Ok(()),
        };
        Err(vec![FieldError::new("masked", FieldErrorKind::Invalid { message: message.to_owned() })])
    }
}

impl Resource for UnitPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Unit> {
        let Self { unit, state, reload, signal_name, signal_number, enabled, masked, daemon_reload } = self;
        let signal = signal_name.or_else(|| signal_number.and_then(Signal::numbered));
        Ok(Unit {
            kind: unit.kind(),
            unit,
            state,
            reload,
            signal_name: signal,
            signal_number: signal.map(Signal::number),
            path: String::new(),
            description: String::new(),
            activestate: String::new(),
            loadstate: String::new(),
            status: String::new(),
            global_properties: Properties::default(),
            own: OwnProperties::default(),
            wanted: DesiredUnit { state, reload, signal, enabled, masked, daemon_reload },
            triggered: false,
            reread: false,
        })
    }
}
