//! Batch applies of several resources in as few apt transactions as possible.
//!
//! apt-get fails as a whole if one script fails. After a failure, the batch asks dpkg. Resources whose
//! packages are as declared have succeeded. Resources whose packages the message names have failed. The
//! others are retried without them.

use converge_sdk::prelude::*;

use super::apt_get::{Apt, AptFailure};
use super::error::AptError;
use super::hold;
use super::installed_packages;
use super::lists::Update;
use super::packages::{AptPackages, AptPlan, preview};
use super::simulation;
use super::transaction::{Change, ChangeKind, Settings, arguments, group};

/// A batch of resources, with the outcome of each.
struct BatchRun<'a> {
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    task: &'a mut AptPackages,
    end: Option<MemberOutcome>,
    /// Messages about changes that were found only after the lists were fetched.
    messages: Vec<String>,
}

#[derive(Clone)]
enum MemberOutcome {
    Done,
    /// The packages are as declared, although apt-get failed with others.
    DoneDespite(AptError),
    Failed(AptFailure),
}

/// Applies resources together, and returns a result for each, in the same order.
///
/// A resource whose packages cannot be installed fails alone.
pub(super) async fn together(tasks: &mut [&mut AptPackages], cx: &Context) -> Vec<Result<Status>> {
    let lock_timeout = tasks.iter().map(|task| task.lock_timeout).max().unwrap_or_default();
    let mut apt = Apt::new(cx, lock_timeout);
    let members = tasks.iter_mut().map(|task| Member { task, end: None, messages: Vec::new() }).collect();
    let mut batch = BatchRun { members };
    batch.update(cx, &mut apt).await;
    batch.open_files(cx).await;
    let kinds: Vec<(Settings, bool)> =
        batch.members.iter().map(|member| (member.task.settings.clone(), member.task.removes())).collect();
    for (settings, members) in group(&kinds) {
        batch.transact(cx, &mut apt, &settings, members).await;
    }
    let mut results = Vec::new();
    for Member { task, end, messages: told } in batch.members {
        let mut result = end.map_or_else(|| Ok(Status::new()), MemberOutcome::into_result);
        if let Ok(status) = &mut result {
            for message in told {
                status.add_message(message);
            }
        }
        if let Some(file) = &mut task.file {
            result = file.close().await.and(result);
        }
        results.push(result);
    }
    results
}

impl MemberOutcome {
    fn into_result(self) -> Result<Status> {
        let mut status = Status::new();
        match self {
            Self::Done => {}
            Self::DoneDespite(error) => {
                status.add_warning(format!("this was done, but apt-get failed with other packages: {error}"));
            }
            Self::Failed(failure) => return Err(failure.into()),
        }
        Ok(status)
    }
}

impl Member<'_> {
    fn is_open(&self) -> bool {
        self.end.is_none() && !self.task.plan.is_empty()
    }

    /// Repeats the checks, because the lists have changed.
    async fn compare_again(&mut self, cx: &Context) -> Result<(), AptFailure> {
        let mut status = Status::new();
        self.task.plan = AptPlan::default();
        self.task.compare(cx, &mut status).await?;
        if let Some(error) = status.take_error() {
            return Err(error.into());
        }
        let diffs = status.diffs();
        self.messages = diffs
            .iter()
            .map(|(name, diff)| format!("{name}: {} => {}", diff.before(), diff.after()))
            .collect();
        Ok(())
    }

    fn is_concerned(&self, error: &AptError) -> bool {
        self.task.packages().into_iter().any(|package| error.concerns(package))
    }
}

impl BatchRun<'_> {
    /// Fetches the lists for the resources that need them, which fail if that fails.
    async fn update(&mut self, cx: &Context, apt: &mut Apt<'_>) {
        for member in &mut self.members {
            let nobody_asked =
                member.task.update == Update::WhenThereAreNone && !member.task.plan.needs_lists;
            if member.task.removes() || !member.is_open() || nobody_asked {
                continue;
            }
            if let Err(failure) = member.task.update.refresh(cx, apt).await {
                member.end = Some(MemberOutcome::Failed(failure));
                continue;
            }
            if member.task.is_about_lists() {
                member.end = Some(MemberOutcome::Done);
                continue;
            }
            if (member.task.is_open_ended() || member.task.has_range())
                && let Err(failure) = member.compare_again(cx).await
            {
                member.end = Some(MemberOutcome::Failed(failure));
            }
        }
    }

    /// Copies the package files that apt-get will read.
    async fn open_files(&mut self, cx: &Context) {
        for member in self.members.iter_mut().filter(|member| member.is_open()) {
            let AptPackages { file, plan, .. } = &mut *member.task;
            let Some(file) = file else { continue };
            match file.reopen(cx).await {
                Ok(()) => {
                    let path = file.path().unwrap_or_default();
                    for change in &mut plan.changes {
                        if let ChangeKind::File(at) = &mut change.kind {
                            at.clone_from(&path);
                        }
                    }
                }
                Err(error) => member.end = Some(MemberOutcome::Failed(error.into())),
            }
        }
    }

    /// Changes the packages of some members in one transaction.
    ///
    /// After a failure, the members that the error concerns fail, and the others are retried without them.
    async fn transact(
        &mut self,
        cx: &Context,
        apt: &mut Apt<'_>,
        settings: &Settings,
        mut members: Vec<usize>,
    ) {
        loop {
            self.keep_open(&mut members);
            if members.is_empty() {
                return;
            }
            let error = match self.attempt(apt, settings, &members).await {
                Ok(()) => return self.end(&members, |_| MemberOutcome::Done),
                Err(failure) if failure.is_general() => {
                    return self.end(&members, |_| MemberOutcome::Failed(failure.clone()));
                }
                Err(AptFailure::Other(error)) => {
                    return self.end(&members, |_| MemberOutcome::Failed(AptFailure::Other(error.clone())));
                }
                Err(AptFailure::Apt(error)) => error,
            };
            self.end_what_is_done(cx, apt, &members, &error).await;
            self.keep_open(&mut members);
            let concerned =
                |member: &usize| self.members.get(*member).is_some_and(|member| member.is_concerned(&error));
            let concerned: Vec<usize> = members.iter().copied().filter(concerned).collect();
            if !concerned.is_empty() {
                self.end(&concerned, |task| MemberOutcome::Failed(error.about(&task.packages()).into()));
            } else if let [only] = members.as_slice() {
                self.end(&[*only], |_| MemberOutcome::Failed(error.clone().into()));
            } else {
                // The error concerns no particular member, so each is tried alone.
                for member in members {
                    Box::pin(self.transact(cx, apt, settings, vec![member])).await;
                }
                return;
            }
        }
    }

    fn keep_open(&self, members: &mut Vec<usize>) {
        members.retain(|member| self.members.get(*member).is_some_and(Member::is_open));
    }

    /// Runs one transaction, which may remove only packages that the checks have shown.
    ///
    /// `--no-remove` cannot ensure that, because the same transaction removes packages that are declared
    /// absent.
    async fn attempt(
        &self,
        apt: &mut Apt<'_>,
        settings: &Settings,
        members: &[usize],
    ) -> Result<(), AptFailure> {
        let members = members.iter().filter_map(|member| self.members.get(*member));
        let tasks: Vec<&AptPackages> = members.map(|member| &*member.task).collect();
        let plans: Vec<_> = tasks.iter().map(|task| &task.plan).collect();
        if !plans.iter().any(|plan| plan.has_transaction()) {
            return hold::mark(apt, &tasks).await;
        }
        let changes: Vec<Change> = plans.iter().flat_map(|plan| &plan.changes).cloned().collect();
        let simulation = preview(apt, settings, &changes, &[]).await?;
        let is_shown = |package: &str| {
            plans.iter().any(|plan| plan.removed.iter().any(|removed| removed == package))
                || changes.iter().any(|change| simulation::is_name_of(&change.package, package))
        };
        let removed: Vec<String> =
            simulation.removed().filter(|package| !is_shown(package)).map(str::to_owned).collect();
        if !removed.is_empty() {
            return Err(AptError::Removes(removed).into());
        }
        apt.get(&arguments(settings, changes.iter())).await?;
        hold::mark(apt, &tasks).await
    }

    /// Completes the members whose packages are as declared.
    ///
    /// apt-get may have failed because of unrelated packages.
    async fn end_what_is_done(
        &mut self,
        cx: &Context,
        apt: &mut Apt<'_>,
        members: &[usize],
        error: &AptError,
    ) {
        for index in members {
            let Some(member) = self.members.get_mut(*index) else { continue };
            // If dpkg fails as well, the failure of apt-get is the better explanation.
            let installed = installed_packages::query(cx, &member.task.packages()).await.ok().flatten();
            if installed.is_some_and(|installed| member.task.is_reached(&installed)) {
                let marked = hold::mark(apt, &[&*member.task]).await;
                member.end = Some(match marked {
                    Ok(()) => MemberOutcome::DoneDespite(error.clone()),
                    Err(failure) => MemberOutcome::Failed(failure),
                });
            }
        }
    }

    fn end(&mut self, members: &[usize], end: impl Fn(&AptPackages) -> MemberOutcome) {
        for index in members {
            if let Some(member) = self.members.get_mut(*index) {
                member.end = Some(end(member.task));
            }
        }
    }
}
