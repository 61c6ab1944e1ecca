use std::time::SystemTime;

use converge_sdk::Refreshing;
use converge_sdk::prelude::*;

use super::decide::{Decision, DesiredUnit, Trigger, UnitState};
use super::error::Refusal;
use super::failure::UnitFailure;
use super::journal::Journal;
use super::name::{UnitKind, UnitName};
use super::signal::Signal;
use super::snapshot::{Active, UnitSnapshot};
use super::{drop_ins, job};
use crate::missing_dependency;
use crate::systemd::bus;
use crate::systemd::error::BusError;
use crate::systemd::manager::{FileChange, JobKind, Manager};
use crate::systemd::properties::Properties;

const TYPE: &str = "systemd.unit.state";

/// The D-Bus error for a file in the place of a link.
const FILE_EXISTS: &str = "org.freedesktop.systemd1.UnitExists";

/// The task of a `systemd.unit.state` resource.
///
/// The exports have the state that the last check found.
#[derive(Debug, Export)]
#[expect(clippy::struct_field_names, reason = "the names are those of the exports")]
pub struct Unit {
    /// The name of the unit, with its suffix.
    #[export]
    pub(super) unit: UnitName,
    /// The declared state; null if none is declared.
    #[export]
    pub(super) state: Option<UnitState>,
    /// Whether the unit is reloaded instead of restarted.
    #[export]
    pub(super) reload: bool,
    /// The name of the declared signal: `SIGHUP`.
    #[export]
    pub(super) signal_name: Option<Signal>,
    /// The number of the declared signal.
    #[export]
    pub(super) signal_number: Option<u8>,
    /// Path of the unit's file.
    #[export(computed)]
    pub(super) path: String,
    /// The description in the unit file.
    #[export(computed)]
    pub(super) description: String,
    /// The state of the unit: `active`, `reloading`, `inactive`, `failed`, `activating` or `deactivating`.
    #[export(computed)]
    pub(super) activestate: String,
    /// The load state of the unit: `loaded`, `not-found`, `bad-setting`, `error` or `masked`.
    #[export(computed)]
    pub(super) loadstate: String,
    /// The kind of unit, which is the suffix of its name: `service`.
    #[export(name = "type")]
    pub(super) kind: UnitKind,
    /// The same as `activestate`.
    #[export(computed)]
    pub(super) status: String,
    /// The properties common to all units, under their D-Bus names: `global_properties.SubState`.
    #[export(computed)]
    pub(super) global_properties: Properties,
    #[export(computed, embed)]
    pub(super) own: OwnProperties,
    pub(super) wanted: DesiredUnit,
    /// Whether the unit was restarted, reloaded or sent its signal in this run.
    pub(super) triggered: bool,
    /// The time of the first check, when all that the unit reacts to had changed.
    pub(super) checked_at: Option<SystemTime>,
    /// Whether systemd has reloaded its unit files in this run.
    pub(super) reread: bool,
}

/// The properties of each kind of unit, under their D-Bus names.
///
/// Only those of the unit's own kind are not empty.
#[derive(Debug, Default, Export)]
#[expect(clippy::struct_field_names, reason = "the names are those of the exports")]
pub(super) struct OwnProperties {
    /// The properties of a service: `service_properties.ExecMainPID`.
    #[export]
    service_properties: Properties,
    /// The properties of a socket.
    #[export]
    socket_properties: Properties,
    /// The properties of a device.
    #[export]
    device_properties: Properties,
    /// The properties of a mount.
    #[export]
    mount_properties: Properties,
    /// The properties of an automount.
    #[export]
    automount_properties: Properties,
    /// The properties of swap space.
    #[export]
    swap_properties: Properties,
    /// The properties of a path.
    #[export]
    path_properties: Properties,
    /// The properties of a timer.
    #[export]
    timer_properties: Properties,
    /// The properties of a slice.
    #[export]
    slice_properties: Properties,
    /// The properties of a scope.
    #[export]
    scope_properties: Properties,
}

impl OwnProperties {
    fn new(kind: UnitKind, properties: Properties) -> Self {
        let mut result = Self::default();
        match kind {
            UnitKind::Service => result.service_properties = properties,
            UnitKind::Socket => result.socket_properties = properties,
            UnitKind::Device => result.device_properties = properties,
            UnitKind::Mount => result.mount_properties = properties,
            UnitKind::Automount => result.automount_properties = properties,
            UnitKind::Swap => result.swap_properties = properties,
            UnitKind::Path => result.path_properties = properties,
            UnitKind::Timer => result.timer_properties = properties,
            UnitKind::Slice => result.slice_properties = properties,
            UnitKind::Scope => result.scope_properties = properties,
            // A target has no properties of its own.
            UnitKind::Target => {}
        }
        result
    }
}

impl Unit {
    /// Returns the trigger of a check or apply that no change has caused.
    fn each_apply(&self, cx: &Context) -> Trigger {
        match cx.refreshing() {
            Refreshing::Never if !self.triggered && self.wanted.acts_in_each_apply() => Trigger::EachApply,
            _ => Trigger::None,
        }
    }

    /// Stores the snapshot for exports.
    fn record(&mut self, snapshot: UnitSnapshot) {
        snapshot.unit.text("FragmentPath").clone_into(&mut self.path);
        snapshot.unit.text("Description").clone_into(&mut self.description);
        snapshot.unit.text("ActiveState").clone_into(&mut self.activestate);
        snapshot.unit.text("LoadState").clone_into(&mut self.loadstate);
        self.status.clone_from(&self.activestate);
        self.global_properties = snapshot.unit;
        self.own = OwnProperties::new(self.kind, snapshot.own);
    }

    async fn reconcile(&mut self, cx: &Context, trigger: Trigger) -> Result<Status> {
        let manager = Manager::new(bus::connect(cx, TYPE).await??);
        let mut snapshot = self.look(cx, &manager).await?;
        self.triggered |= trigger != Trigger::None;
        // A start after the check, as by another resource, has read what changed before.
        let has_started = self.checked_at.is_some_and(|checked_at| snapshot.has_started_since(checked_at));
        let trigger = if has_started { Trigger::None } else { trigger };
        let mut decision = self.decide(cx, &snapshot, trigger).await?;
        if let Some(persistence) = decision.unmask {
            manager
                .change(&snapshot.facts.id, FileChange::Unmask(persistence))
                .await
                .map_err(Error::other)?;
        }
        if decision.unmask.is_some() || decision.daemon_reload {
            manager.reload(&snapshot.facts.id).await.map_err(Error::other)?;
            // The reload may have changed the unit completely.
            self.reread = true;
            snapshot = self.look(cx, &manager).await?;
            decision = self.decide(cx, &snapshot, trigger).await?;
        }
        let unit = snapshot.facts.id.as_str();
        for change in &decision.boot {
            manager.change(unit, *change).await.map_err(Error::other)?;
        }
        // The links matter at the next boot, even if systemd does not reload a changed file now.
        if !decision.boot.is_empty() && !snapshot.facts.stale {
            manager.reload(unit).await.map_err(Error::other)?;
        }
        self.act(cx, &manager, &snapshot, &decision).await?;
        if decision.mask {
            manager.change(unit, FileChange::Mask).await.map_err(|error| in_the_way(error, unit))?;
            manager.reload(unit).await.map_err(Error::other)?;
        }
        Ok(Status::new())
    }

    async fn act(
        &self,
        cx: &Context,
        manager: &Manager,
        snapshot: &UnitSnapshot,
        decision: &Decision,
    ) -> Result<()> {
        cx.check_cancelled()?;
        if let Some(kind) = decision.job {
            job::run(cx, manager, &self.unit, snapshot, kind).await?;
        }
        if let Some(signal) = decision.signal {
            manager.kill(&snapshot.facts.id, signal.number()).await.map_err(Error::other)?;
        }
        Ok(())
    }

    async fn look(&self, cx: &Context, manager: &Manager) -> Result<UnitSnapshot> {
        let mut snapshot = UnitSnapshot::look(manager, &self.unit).await.map_err(Error::other)?;
        if !snapshot.facts.stale && !self.reread {
            snapshot.facts.stale = drop_ins::is_new(cx, manager, &snapshot).await?;
        }
        Ok(snapshot)
    }

    async fn decide(&self, cx: &Context, snapshot: &UnitSnapshot, trigger: Trigger) -> Result<Decision> {
        match self.wanted.decide(&snapshot.facts, trigger) {
            Ok(decision) => Ok(decision),
            Err(reason) => Err(refused(cx, reason).await),
        }
    }
}

/// Converts a refusal to an error. For an invalid unit file, the journal names the line.
async fn refused(cx: &Context, reason: Refusal) -> Error {
    let journal = match &reason {
        Refusal::Bad { unit, .. } => Journal::read(cx, unit, None).await,
        _ => Journal::EMPTY,
    };
    Error::msg(format!("{reason}{journal}"))
}

fn in_the_way(error: BusError, unit: &str) -> Error {
    match error {
        BusError::Refused { name, reason, .. } if name == FILE_EXISTS => Error::msg(format!(
            "{unit} cannot be masked, as its file is in /etc/systemd/system, where the link that masks a unit goes: \
                 move it to /usr/local/lib/systemd/system ({reason})"
        )),
        error => Error::other(error),
    }
}

impl Task for Unit {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let manager = match bus::connect(cx, TYPE).await? {
            Ok(bus) => Manager::new(bus),
            Err(missing) => return Ok(missing_dependency::not_yet(missing)),
        };
        let now = cx.system().clock().now();
        self.checked_at.get_or_insert(now);
        let snapshot = self.look(cx, &manager).await?;
        let trigger = self.each_apply(cx);
        let decision = match self.wanted.decide(&snapshot.facts, trigger) {
            Ok(decision) => decision,
            // A pending change may bring the unit, or another version of its file.
            Err(Refusal::NotFound { unit }) if !cx.pending().is_empty() => {
                let mut status = missing_dependency::not_yet(format!("unit {unit:?} does not exist yet"));
                for (name, current) in self.wanted.new_unit_differences() {
                    status.add_difference(name, "absent", current);
                }
                return Ok(status);
            }
            Err(reason) if !cx.pending().is_empty() => {
                return Ok(missing_dependency::not_yet(reason.to_string()));
            }
            Err(reason) => return Err(refused(cx, reason).await),
        };
        let mut status = Status::new();
        for (name, original, current) in decision.differences(&snapshot.facts) {
            status.add_difference_with_default(name, original, current, "(none)");
        }
        for warning in &decision.warnings {
            status.add_warning(warning.clone());
        }
        let is_triggered = decision.signal.is_some() || !matches!(decision.job, None | Some(JobKind::Start));
        if trigger == Trigger::EachApply && is_triggered {
            status.add_warning(
                "this is done by each apply; with `on_change_of` only when what it names has changed",
            );
        }
        if snapshot.facts.active == Active::Failed && decision.job.is_some() {
            status.add_message(format!(
                "{} has failed{}",
                snapshot.facts.id,
                UnitFailure::from_snapshot(&snapshot)
            ));
        }
        status.raise_level_for_diffs();
        self.record(snapshot);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let trigger = match cx.refreshing() {
            Refreshing::Now => Trigger::Change,
            Refreshing::Never | Refreshing::NotNow => self.each_apply(cx),
        };
        self.reconcile(cx, trigger).await
    }
}

impl Refresh for Unit {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        self.reconcile(cx, Trigger::Change).await
    }
}
