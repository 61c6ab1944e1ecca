//! The `systemd.unit.state` resource: whether a unit runs, and how it is started at boot.

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

use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Unit;

use decide::{DesiredUnit, UnitState};
use name::UnitName;
use signal::Signal;
use task::OwnProperties;

use crate::systemd::properties::Properties;

/// Starts, stops, restarts, reloads, enables and masks a systemd unit.
///
/// Only declared fields are managed: a unit with `enabled` alone is neither started nor stopped.
///
/// An apply ends when the unit has reached the declared state. A service fails the resource if it cannot be
/// started, ends right after its start, or never reports readiness. The error has systemd's reason and the
/// last lines of the unit's journal. The apply waits as long as the unit's own `TimeoutStartSec` and
/// `TimeoutStopSec` allow, and 15 minutes if these are unlimited; the meta-argument `timeout` shortens that.
///
/// # Changes of configuration
///
/// With `on_change_of`, a change of the named resources restarts the unit; with `reload` the unit is
/// reloaded, if it can; with `signal_name` or `signal_number` it gets the signal. Without `on_change_of`,
/// each apply performs `state = "restarted"`, `reload` and signals, because no other time is declared, and
/// the plan says so. This is the only case in which a second apply has changes.
///
/// Several resources may manage one unit, such as one that restarts and one that reloads it. They act one
/// after the other, and a start by one of them counts as the restart or reload of the others.
///
/// # Where it works
///
/// On Linux, if systemd runs the machine and the system bus (the package `dbus`) is available. Queries need
/// no privileges. Changes need those of root, unless polkit has other rules.
#[derive(Debug, Preparer)]
#[preparer(name = "systemd.unit.state", task = Unit, validate, changes = "anything", example = "example.hcl", refresh)]
#[preparer(at_most_one = "signal_name,signal_number")]
pub struct UnitPreparer {
    /// Name of the unit.
    ///
    /// Without a suffix like `.socket` it is a service; a template needs an instance, as in `getty@tty1`. A
    /// unit that does not exist is an error, unless a pending change of a dependency may bring it.
    #[hcl(required, nonempty, needs = "path:tree, package")]
    unit: UnitName,
    /// `running`: started if it does not run.
    ///
    /// `stopped`: stopped if it runs. `restarted`: like `running`, and restarted if it runs already, once in
    /// each apply, or with `on_change_of` only after a change.
    #[hcl(manages = "unit:state of unit")]
    state: Option<UnitState>,
    /// Whether a change reloads the unit instead of restarting it.
    ///
    /// A unit that cannot reload, because it has no `ExecReload`, is restarted.
    #[hcl(default)]
    reload: bool,
    /// A signal for all processes of the unit, by name: `HUP`, `SIGUSR1`.
    ///
    /// It is sent after a change, but not to a unit that was only just started.
    signal_name: Option<Signal>,
    /// The signal by its number.
    #[hcl(min = 1, max = 31)]
    signal_number: Option<u8>,
    /// Whether the unit is started at boot, as its `[Install]` section says.
    ///
    /// A unit without that section is only started by others; that is not a difference but a warning, and so is
    /// another name of a unit. A unit whose section has only `Also=` is an error.
    #[hcl(manages = "unit:enabled of unit")]
    enabled: Option<bool>,
    /// Whether the unit is masked, so that nothing can start it. It is stopped only if `state` says so.
    #[hcl(manages = "unit:masked of unit")]
    masked: Option<bool>,
    /// Whether systemd reloads its unit files if the file of this unit has changed.
    ///
    /// Without it, systemd continues to use the version that it read before.
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
            checked_at: None,
            reread: false,
        })
    }
}
