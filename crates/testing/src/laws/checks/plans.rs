//! The law about plans with pending dependencies.

use super::super::case::{Case, Change};
use super::super::runner::{Breach, Runner, Tried, Verdict};
use crate::sdk::error::Error;
use crate::sdk::resource::Resource;
use crate::sdk::status::{Status, StatusLevel, TaskStatus};

/// Checks that a missing object counts as a possible change while a dependency is pending.
///
/// Only a check that fails because of the missing object, and succeeds when it is there, can wait for a
/// dependency.
pub(super) async fn pending_may_change<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    if !case.changes.iter().any(Change::removes) {
        return Ok(Tried::Yes);
    }
    let full_case = Case { changes: Vec::new(), ..case.clone() };
    let host = runner.host::<R>(&full_case).await?;
    if runner.look::<R>(&host, &case.values).await?.is_err() {
        return Ok(Tried::Yes);
    }
    let host = runner.host::<R>(case).await?;
    let Err(missing) = runner.look::<R>(&host, &case.values).await? else { return Ok(Tried::Yes) };
    let cx = host.plan_behind();
    let behind: Result<Status, Error> = match runner.prepare::<R>(&host, &cx, &case.values).await? {
        Ok(mut task) => runner.check::<R>(&host, &cx, &mut task).await?,
        Err(error) => Err(error),
    };
    let answer = match behind {
        // A certain change is also accepted, because it says more than a possible one.
        Ok(status) if matches!(status.level(), StatusLevel::MayChange | StatusLevel::WillChange) => {
            return Ok(Tried::Yes);
        }
        Ok(status) => format!("says `{}`", status.level()),
        Err(error) => format!("fails: {error}"),
    };
    Err(Breach(format!(
        "something is missing that a dependency may make (without one, the check fails: {missing}); where a dependency \
         has changes that are not made yet, the check {answer}: look at `cx.pending()`, and raise the level to `MayChange`"
    )))
}
