//! The decision what to do about a unit, from its snapshot and its declaration alone.
//!
//! The check shows the decision. The apply makes the decision again from a new snapshot, and carries it out.
//! Every combination can therefore be a line in a table of tests, and only the execution needs a real
//! systemd.

use converge_sdk::prelude::*;

use super::error::Refusal;
use super::signal::Signal;
use super::snapshot::{Active, Facts, FileState, Load};
use crate::systemd::manager::{FileChange, JobKind, Persistence};

/// The declared state of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum UnitState {
    /// The unit runs.
    Running,
    /// The unit does not run.
    Stopped,
    /// The unit runs, and has been restarted.
    Restarted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DesiredUnit {
    pub(super) state: Option<UnitState>,
    pub(super) reload: bool,
    pub(super) signal: Option<Signal>,
    pub(super) enabled: Option<bool>,
    pub(super) masked: Option<bool>,
    pub(super) daemon_reload: bool,
}

/// The reason to restart or reload a running unit, or to send its signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    None,
    /// Each apply does it, because no event is declared.
    ///
    /// systemd does not know which changes its units should have noticed. A record of earlier applies would
    /// be wrong after a change by somebody else.
    EachApply,
    /// A resource in `on_change_of` has changed.
    Change,
}

/// The operations to perform, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) unmask: Option<Persistence>,
    /// Whether systemd first has to reload its unit files.
    pub(super) daemon_reload: bool,
    /// The changes that enable or disable the unit.
    pub(super) boot: Vec<FileChange>,
    pub(super) job: Option<JobKind>,
    pub(super) signal: Option<Signal>,
    pub(super) mask: bool,
    /// Warnings about declared settings that are impossible but accepted.
    pub(super) warnings: Vec<String>,
}

impl DesiredUnit {
    /// Whether each apply acts, unless events are declared.
    pub(super) fn acts_in_each_apply(self) -> bool {
        let acts = self.state == Some(UnitState::Restarted) || self.reload || self.signal.is_some();
        acts && self.state != Some(UnitState::Stopped)
    }

    fn runs(self) -> bool {
        matches!(self.state, Some(UnitState::Running | UnitState::Restarted))
    }

    /// Returns the differences of a unit that does not exist yet: name and future value.
    pub(super) fn new_unit_differences(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let enabled = (self.enabled == Some(true)).then_some(("enabled", "enabled"));
        enabled.into_iter().chain(self.runs().then_some(("state", "running")))
    }

    pub(super) fn decide(self, facts: &Facts, trigger: Trigger) -> Result<Decision, Refusal> {
        let daemon_reload = facts.stale && self.daemon_reload || self.is_unseen(facts);
        if facts.load == Load::NotFound && !daemon_reload && self.masked != Some(true) {
            return Err(Refusal::NotFound { unit: facts.id.clone() });
        }
        let mut decision = Decision { daemon_reload, ..Decision::default() };
        match (self.masked, facts.file) {
            (Some(false), FileState::Masked(persistence)) => decision.unmask = Some(persistence),
            (Some(true), FileState::Masked(Persistence::Permanent)) | (Some(false) | None, _) => {}
            (Some(true), _) => decision.mask = true,
        }
        self.decide_boot(facts, &mut decision)?;
        self.decide_job(facts, trigger, &mut decision);
        if let Some(job) = decision.job {
            check_refusal(facts, job, &decision)?;
        }
        if self.runs() && facts.ends_by_itself && self.state == Some(UnitState::Running) && !daemon_reload {
            return Err(Refusal::NeverStays { unit: facts.id.clone() });
        }
        Ok(decision)
    }

    /// Whether systemd has not noticed that the mask was set or removed.
    ///
    /// An earlier run was killed before the reload. Until the reload, a running masked unit can be started
    /// again.
    fn is_unseen(self, facts: &Facts) -> bool {
        let is_known = facts.load == Load::Masked;
        match (self.masked, facts.file) {
            (Some(true), FileState::Masked(Persistence::Permanent)) => !is_known,
            (Some(false), FileState::Masked(_)) | (None | Some(true), _) => false,
            (Some(false), _) => is_known,
        }
    }

    fn decide_boot(self, facts: &Facts, decision: &mut Decision) -> Result<(), Refusal> {
        use FileState as File;
        let masked = matches!(facts.file, File::Masked(_)) && decision.unmask.is_none();
        match (self.enabled, facts.file) {
            (Some(true), _) if masked => {
                return Err(Refusal::Masked { unit: facts.id.clone(), verb: "enabled" });
            }
            (Some(true), File::Static) => decision.warnings.push(format!(
                "{} has no [Install] section, so it cannot be enabled: it is only started by others",
                facts.id
            )),
            (Some(true), File::Indirect) => return Err(Refusal::Indirect { unit: facts.id.clone() }),
            (Some(enabled), File::Alias) => decision.warnings.push(format!(
                "{} is another name of a unit, so `enabled = {enabled}` changes nothing: write the unit's own name",
                facts.id
            )),
            (Some(true), File::Generated | File::Missing) => {
                decision.warnings.push(format!(
                    "{} cannot be enabled, as its file is {}: it is started at boot only when others ask for it",
                    facts.id, facts.file
                ));
            }
            (
                Some(true),
                File::Enabled(Persistence::Runtime)
                | File::Disabled
                | File::Linked
                | File::Masked(_)
                | File::Bad,
            ) => decision.boot.push(FileChange::Enable),
            (Some(false), File::Enabled(persistence)) => decision.boot.push(FileChange::Disable(persistence)),
            (None | Some(false), _) | (Some(true), File::Enabled(Persistence::Permanent)) => {}
        }
        Ok(())
    }

    fn decide_job(self, facts: &Facts, trigger: Trigger, decision: &mut Decision) {
        // A unit that ends by itself is run again on each restart.
        let is_up = facts.active.is_up();
        match self.state {
            Some(UnitState::Stopped) => {
                let is_down = matches!(facts.active, Active::Inactive | Active::Failed);
                decision.job = (!is_down).then_some(JobKind::Stop);
            }
            Some(UnitState::Restarted) if facts.ends_by_itself => {
                decision.job = (trigger != Trigger::None).then_some(JobKind::Restart);
            }
            Some(UnitState::Running | UnitState::Restarted) if !is_up => decision.job = Some(JobKind::Start),
            Some(UnitState::Running | UnitState::Restarted) => self.decide_trigger(facts, trigger, decision),
            None if is_up => self.decide_trigger(facts, trigger, decision),
            None => {}
        }
    }

    /// Chooses the operation on a running unit for a trigger.
    fn decide_trigger(self, facts: &Facts, trigger: Trigger, decision: &mut Decision) {
        let restart = if self.state.is_none() { JobKind::TryRestart } else { JobKind::Restart };
        let reload = if facts.can_reload { JobKind::Reload } else { restart };
        match trigger {
            Trigger::None => {}
            Trigger::EachApply | Trigger::Change if self.reload => {
                decision.job = Some(reload);
                decision.signal = self.signal;
            }
            Trigger::EachApply => {
                decision.job = (self.state == Some(UnitState::Restarted)).then_some(restart);
                decision.signal = self.signal;
            }
            Trigger::Change if self.signal.is_some() && self.state != Some(UnitState::Restarted) => {
                decision.signal = self.signal;
            }
            Trigger::Change => decision.job = Some(restart),
        }
        // A restarted unit needs no signal.
        if matches!(decision.job, Some(JobKind::Restart | JobKind::TryRestart)) {
            decision.signal = None;
        }
    }
}

/// Returns the refusal of systemd, if it is already certain.
fn check_refusal(facts: &Facts, job: JobKind, decision: &Decision) -> Result<(), Refusal> {
    let unit = || facts.id.clone();
    let starts = matches!(job, JobKind::Start | JobKind::Restart);
    // A reload or an unmask may change the answer.
    let settled = !decision.daemon_reload && decision.unmask.is_none();
    if starts && settled {
        if matches!(facts.file, FileState::Masked(_)) || facts.load == Load::Masked {
            return Err(Refusal::Masked { unit: unit(), verb: "started" });
        }
        if let Load::Bad { reason } = &facts.load {
            return Err(Refusal::Bad { unit: unit(), reason: reason.clone() });
        }
        if !facts.can_start {
            return Err(Refusal::ByHand { unit: unit(), verb: "started" });
        }
    }
    if job == JobKind::Stop && settled && !facts.can_stop {
        return Err(Refusal::ByHand { unit: unit(), verb: "stopped" });
    }
    Ok(())
}

impl Decision {
    #[cfg(test)]
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self { warnings: self.warnings.clone(), ..Self::default() }
    }

    /// Returns the differences for a plan: name, present value, future value.
    pub(super) fn differences(&self, facts: &Facts) -> Vec<(&'static str, String, String)> {
        let mut differences = Vec::new();
        if self.daemon_reload {
            differences.push((
                "daemon_reload",
                "unit file changed on disk".to_owned(),
                "read again".to_owned(),
            ));
        }
        if self.unmask.is_some() {
            differences.push(("masked", facts.file.to_string(), "not masked".to_owned()));
        }
        if self.mask {
            let current = match facts.file {
                FileState::Masked(_) => facts.file.to_string(),
                _ => "not masked".to_owned(),
            };
            differences.push(("masked", current, "masked".to_owned()));
        }
        if let Some(change) = self.boot.first() {
            let target = if *change == FileChange::Enable { "enabled" } else { "disabled" };
            differences.push(("enabled", facts.file.to_string(), target.to_owned()));
        }
        if let Some(job) = self.job {
            let target = match job {
                JobKind::Start => "running",
                JobKind::Stop => "stopped",
                JobKind::Restart | JobKind::TryRestart => "restarted",
                JobKind::Reload => "reloaded",
            };
            differences.push(("state", facts.state(), target.to_owned()));
        }
        if let Some(signal) = self.signal {
            differences.push(("signal", String::new(), signal.to_string()));
        }
        differences
    }
}
