//! Checks a unit, and changes it.

use converge_core::Refreshing;
use converge_core::prelude::*;

use super::decide::{Decision, Notice, Wanted};
use super::error::{Refusal, UnitError};
use super::failure::Failure;
use super::journal::Journal;
use super::name::{UnitKind, UnitName};
use super::seen::{Active, Seen};
use super::signal::Signal;
use super::{State, UnitPreparer, drop_ins, job};
use crate::systemd::bus::{self, Connected};
use crate::systemd::error::BusError;
use crate::systemd::manager::{FileChange, JobKind, Manager};
use crate::systemd::properties::Properties;

/// The D-Bus error for a file that is in the way of a link.
const FILE_EXISTS: &str = "org.freedesktop.systemd1.UnitExists";

/// A unit of systemd.
///
/// What is exported of the machine is what the last check found.
#[derive(Debug, Export)]
#[expect(clippy::struct_field_names, reason = "the names are those of the exports")]
pub struct Unit {
    /// Name of the unit, with its suffix.
    #[export]
    unit: UnitName,
    /// The declared state; null when none is.
    #[export]
    state: Option<State>,
    /// Whether it is reloaded rather than restarted.
    #[export]
    reload: bool,
    /// Name of the declared signal: `SIGHUP`.
    #[export]
    signal_name: Option<Signal>,
    /// Number of the declared signal.
    #[export]
    signal_number: Option<u8>,
    /// Path of the unit's file.
    #[export(computed)]
    path: String,
    /// What the unit says that it is.
    #[export(computed)]
    description: String,
    /// Whether it runs: `active`, `reloading`, `inactive`, `failed`, `activating` or `deactivating`.
    #[export(computed)]
    activestate: String,
    /// Whether systemd could read it: `loaded`, `not-found`, `bad-setting`, `error` or `masked`.
    #[export(computed)]
    loadstate: String,
    /// The kind of unit, which is the suffix of its name: `service`.
    #[export(name = "type")]
    kind: UnitKind,
    /// The same as `activestate`.
    #[export(computed)]
    status: String,
    /// What systemd says of units of every kind, under the names of its D-Bus properties: `global_properties.SubState`.
    #[export(computed)]
    global_properties: Properties,
    #[export(computed, embed)]
    own: OwnProperties,
    wanted: Wanted,
    /// It has taken notice in this run.
    noticed: bool,
    /// systemd has read its unit files again in this run.
    reread: bool,
}

/// What systemd says of units of one kind only, under the names of its D-Bus properties. Those of the kinds that the unit is
/// not of are empty.
#[derive(Debug, Default, Export)]
#[expect(clippy::struct_field_names, reason = "the names are those of the exports")]
struct OwnProperties {
    /// Of a service: `service_properties.ExecMainPID`.
    #[export]
    service_properties: Properties,
    /// Of a socket.
    #[export]
    socket_properties: Properties,
    /// Of a device.
    #[export]
    device_properties: Properties,
    /// Of a mount.
    #[export]
    mount_properties: Properties,
    /// Of an automount.
    #[export]
    automount_properties: Properties,
    /// Of swap space.
    #[export]
    swap_properties: Properties,
    /// Of a path.
    #[export]
    path_properties: Properties,
    /// Of a timer.
    #[export]
    timer_properties: Properties,
    /// Of a slice.
    #[export]
    slice_properties: Properties,
    /// Of a scope.
    #[export]
    scope_properties: Properties,
}

impl OwnProperties {
    fn new(kind: UnitKind, properties: Properties) -> Self {
        let mut own = Self::default();
        match kind {
            UnitKind::Service => own.service_properties = properties,
            UnitKind::Socket => own.socket_properties = properties,
            UnitKind::Device => own.device_properties = properties,
            UnitKind::Mount => own.mount_properties = properties,
            UnitKind::Automount => own.automount_properties = properties,
            UnitKind::Swap => own.swap_properties = properties,
            UnitKind::Path => own.path_properties = properties,
            UnitKind::Timer => own.timer_properties = properties,
            UnitKind::Slice => own.slice_properties = properties,
            UnitKind::Scope => own.scope_properties = properties,
            // It has none of its own.
            UnitKind::Target => {}
        }
        own
    }
}

impl Unit {
    pub(super) fn new(preparer: UnitPreparer) -> Self {
        let UnitPreparer { unit, state, reload, signal_name, signal_number, enabled, masked, daemon_reload } =
            preparer;
        let signal = signal_name.or_else(|| signal_number.and_then(Signal::numbered));
        Self {
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
            wanted: Wanted { state, reload, signal, enabled, masked, daemon_reload },
            noticed: false,
            reread: false,
        }
    }

    /// Of what a unit that runs is to take notice, whatever changed.
    fn each_apply(&self, cx: &Context) -> Notice {
        match cx.refreshing() {
            Refreshing::Never if !self.noticed && self.wanted.gives_notice() => Notice::EachApply,
            _ => Notice::None,
        }
    }

    /// Keeps what was found, for lookups.
    fn remember(&mut self, seen: Seen) {
        seen.unit.text("FragmentPath").clone_into(&mut self.path);
        seen.unit.text("Description").clone_into(&mut self.description);
        seen.unit.text("ActiveState").clone_into(&mut self.activestate);
        seen.unit.text("LoadState").clone_into(&mut self.loadstate);
        self.status.clone_from(&self.activestate);
        self.global_properties = seen.unit;
        self.own = OwnProperties::new(self.kind, seen.own);
    }

    async fn manager(cx: &Context) -> Result<Manager> {
        match bus::connect(cx, UnitPreparer::NAME).await? {
            Connected::Bus(bus) => Ok(Manager::new(bus)),
            Connected::NotYet { missing } => Err(Error::msg(missing)),
        }
    }

    /// Makes everything as it is declared.
    async fn bring_about(&mut self, cx: &Context, notice: Notice) -> Result<Status> {
        let manager = Self::manager(cx).await?;
        let mut seen = self.look(cx, &manager).await?;
        let mut decision = self.decide(cx, &seen, notice).await?;
        if let Some(lasting) = decision.unmask {
            manager.change(&seen.facts.id, FileChange::Unmask(lasting)).await.map_err(Error::other)?;
        }
        if decision.unmask.is_some() || decision.daemon_reload {
            manager.reload(&seen.facts.id).await.map_err(Error::other)?;
            // Now it may be quite another unit.
            self.reread = true;
            seen = self.look(cx, &manager).await?;
            decision = self.decide(cx, &seen, notice).await?;
        }
        let unit = seen.facts.id.as_str();
        for change in &decision.boot {
            manager.change(unit, *change).await.map_err(Error::other)?;
        }
        if !decision.boot.is_empty() {
            manager.reload(unit).await.map_err(Error::other)?;
        }
        self.act(cx, &manager, &seen, &decision).await?;
        if decision.mask {
            manager.change(unit, FileChange::Mask).await.map_err(|error| in_the_way(error, unit))?;
            manager.reload(unit).await.map_err(Error::other)?;
        }
        self.noticed |= notice != Notice::None;
        Ok(Status::new())
    }

    /// Starts, stops, restarts, reloads, signals.
    async fn act(&self, cx: &Context, manager: &Manager, seen: &Seen, decision: &Decision) -> Result<()> {
        cx.check_cancelled()?;
        if let Some(kind) = decision.job {
            job::run(cx, manager, &self.unit, seen, kind).await?;
        }
        if let Some(signal) = decision.signal {
            manager.kill(&seen.facts.id, signal.number()).await.map_err(Error::other)?;
        }
        Ok(())
    }

    async fn look(&self, cx: &Context, manager: &Manager) -> Result<Seen> {
        let mut seen = Seen::look(manager, &self.unit).await.map_err(Error::other)?;
        if !seen.facts.stale && !self.reread {
            seen.facts.stale = drop_ins::is_new(cx, manager, &seen).await?;
        }
        Ok(seen)
    }

    async fn decide(&self, cx: &Context, seen: &Seen, notice: Notice) -> Result<Decision> {
        match self.wanted.decide(&seen.facts, notice) {
            Ok(decision) => Ok(decision),
            Err(reason) => Err(refused(cx, reason).await),
        }
    }
}

/// A refusal as an error; where the unit's file is wrong, the journal says where.
async fn refused(cx: &Context, reason: Refusal) -> Error {
    let journal = match &reason {
        Refusal::Bad { unit, .. } => Journal::of(cx, unit, None).await,
        _ => Journal::default(),
    };
    Error::other(UnitError::Refused { reason, journal })
}

fn in_the_way(error: BusError, unit: &str) -> Error {
    match error {
        BusError::Refused { name, reason, .. } if name == FILE_EXISTS => {
            Error::other(UnitError::FileInTheWay { unit: unit.to_owned(), reason })
        }
        error => Error::other(error),
    }
}

fn not_yet(reason: impl Into<String>) -> Status {
    let mut status = Status::new();
    status.add_message(reason);
    status.raise_level(StatusLevel::MayChange);
    status
}

#[async_trait]
impl Task for Unit {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let manager = match bus::connect(cx, UnitPreparer::NAME).await? {
            Connected::Bus(bus) => Manager::new(bus),
            Connected::NotYet { missing } => return Ok(not_yet(missing)),
        };
        let seen = self.look(cx, &manager).await?;
        let notice = self.each_apply(cx);
        let decision = match self.wanted.decide(&seen.facts, notice) {
            Ok(decision) => decision,
            // What comes first may bring the unit, or another file of it.
            Err(Refusal::NotFound { unit }) if !cx.pending().is_empty() => {
                let mut status = not_yet(format!("unit {unit:?} does not exist yet"));
                for (name, current) in self.wanted.of_a_new_unit() {
                    status.add_difference(name, "absent", current, "");
                }
                return Ok(status);
            }
            Err(reason) if !cx.pending().is_empty() => return Ok(not_yet(reason.to_string())),
            Err(reason) => return Err(refused(cx, reason).await),
        };
        let mut status = Status::new();
        for (name, original, current) in decision.differences(&seen.facts) {
            status.add_difference(name, original, current, "(none)");
        }
        for warning in &decision.warnings {
            status.set_warning(warning.clone());
        }
        let takes_notice = decision.signal.is_some() || !matches!(decision.job, None | Some(JobKind::Start));
        if notice == Notice::EachApply && takes_notice {
            status.set_warning(
                "this is done by each apply; with `on_change_of` only when what it names has changed",
            );
        }
        if seen.facts.active == Active::Failed && decision.job.is_some() {
            status.add_message(format!("{} has failed{}", seen.facts.id, Failure::of(&seen)));
        }
        status.raise_level_for_diffs();
        self.remember(seen);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let notice = match cx.refreshing() {
            Refreshing::Now => Notice::Change,
            Refreshing::Never | Refreshing::NotNow => self.each_apply(cx),
        };
        self.bring_about(cx, notice).await
    }
}

#[async_trait]
impl Refresh for Unit {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        self.bring_about(cx, Notice::Change).await
    }
}
