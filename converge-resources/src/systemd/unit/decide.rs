//! Decides what is to be done about a unit, from its snapshot and its declaration alone.
//!
//! The check shows the decision, and the apply makes it once more of a new snapshot and carries it out. So every combination is
//! a line in a table of tests, and only the way there needs a real systemd.

use converge_core::prelude::*;

use super::error::Refusal;
use super::signal::Signal;
use super::snapshot::{Active, Facts, FileState, Load};
use crate::systemd::manager::{FileChange, JobKind, Persistence};

/// What a unit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum UnitState {
    /// It runs.
    Running,
    /// It does not run.
    Stopped,
    /// It runs, and was started anew.
    Restarted,
}

/// The state of a unit that a module declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DesiredUnit {
    pub(super) state: Option<UnitState>,
    pub(super) reload: bool,
    pub(super) signal: Option<Signal>,
    pub(super) enabled: Option<bool>,
    pub(super) masked: Option<bool>,
    pub(super) daemon_reload: bool,
}

/// Why a running unit is restarted, reloaded or sent its signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    None,
    /// Each apply does it, as nothing says when else: systemd does not know what its units should have noticed, and a note of
    /// what was done here would be wrong after whatever others do.
    EachApply,
    /// Something that `on_change_of` names has changed.
    Change,
}

/// What is to be done, in the order in which it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) unmask: Option<Persistence>,
    /// systemd has to read its unit files again before anything else.
    pub(super) daemon_reload: bool,
    /// Enable or disable.
    pub(super) boot: Vec<FileChange>,
    pub(super) job: Option<JobKind>,
    pub(super) signal: Option<Signal>,
    pub(super) mask: bool,
    /// What cannot be as it is declared, and is accepted.
    pub(super) warnings: Vec<String>,
}

impl DesiredUnit {
    /// Whether there is something to do in each apply, where nobody says when else.
    pub(super) fn acts_in_each_apply(self) -> bool {
        let acts = self.state == Some(UnitState::Restarted) || self.reload || self.signal.is_some();
        acts && self.state != Some(UnitState::Stopped)
    }

    fn runs(self) -> bool {
        matches!(self.state, Some(UnitState::Running | UnitState::Restarted))
    }

    /// What is to become of a unit that does not exist yet, by the names of differences.
    pub(super) fn of_a_new_unit(self) -> impl Iterator<Item = (&'static str, &'static str)> {
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
            refuse(facts, job, &decision)?;
        }
        if self.runs() && facts.passing && self.state == Some(UnitState::Running) && !daemon_reload {
            return Err(Refusal::NeverStays { unit: facts.id.clone() });
        }
        Ok(decision)
    }

    /// Whether the link that masks it was made or taken away, and systemd was not told: an earlier run was killed in between. Until it
    /// is, a masked unit that runs can be started again.
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
            (Some(true), File::Indirect | File::Generated | File::Missing) => {
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
            (None | Some(false), _) | (Some(true), File::Enabled(Persistence::Permanent) | File::Alias) => {}
        }
        Ok(())
    }

    fn decide_job(self, facts: &Facts, trigger: Trigger, decision: &mut Decision) {
        // What ends by itself is run anew whenever it is to be restarted.
        let up = facts.active.is_up();
        match self.state {
            Some(UnitState::Stopped) => {
                let is_down = matches!(facts.active, Active::Inactive | Active::Failed);
                decision.job = (!is_down).then_some(JobKind::Stop);
            }
            Some(UnitState::Restarted) if facts.passing => {
                decision.job = (trigger != Trigger::None).then_some(JobKind::Restart);
            }
            Some(UnitState::Running | UnitState::Restarted) if !up => decision.job = Some(JobKind::Start),
            Some(UnitState::Running | UnitState::Restarted) => self.decide_trigger(facts, trigger, decision),
            None if up => self.decide_trigger(facts, trigger, decision),
            None => {}
        }
    }

    /// Decides how a running unit is told.
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
        // A unit that is started anew needs no signal.
        if matches!(decision.job, Some(JobKind::Restart | JobKind::TryRestart)) {
            decision.signal = None;
        }
    }
}

/// What systemd would refuse, as far as it is certain already.
fn refuse(facts: &Facts, job: JobKind, decision: &Decision) -> Result<(), Refusal> {
    let unit = || facts.id.clone();
    let starts = matches!(job, JobKind::Start | JobKind::Restart);
    // What changes first may change the answer.
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

    /// What a plan shows: name, what is, what will be.
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
            let now = match facts.file {
                FileState::Masked(_) => facts.file.to_string(),
                _ => "not masked".to_owned(),
            };
            differences.push(("masked", now, "masked".to_owned()));
        }
        if let Some(change) = self.boot.first() {
            let then = if *change == FileChange::Enable { "enabled" } else { "disabled" };
            differences.push(("enabled", facts.file.to_string(), then.to_owned()));
        }
        if let Some(job) = self.job {
            let then = match job {
                JobKind::Start => "running",
                JobKind::Stop => "stopped",
                JobKind::Restart | JobKind::TryRestart => "restarted",
                JobKind::Reload => "reloaded",
            };
            differences.push(("state", facts.state(), then.to_owned()));
        }
        if let Some(signal) = self.signal {
            differences.push(("signal", String::new(), signal.to_string()));
        }
        differences
    }
}
