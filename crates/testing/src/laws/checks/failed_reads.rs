//! The law about reads that fail.

use super::super::case::Case;
use super::super::description;
use super::super::runner::{Breach, Host, Runner, Tried, Verdict};
use super::interruptions::is_finished;
use crate::sdk::error::Error;
use crate::sdk::resource::Resource;
use crate::sdk::status::{Status, StatusLevel, TaskStatus as _};

const MAX_READS: usize = 400;

/// The error messages of the model host for a failed read.
const READ_ERRORS: [&str; 3] =
    ["input/output error", "cannot allocate memory", "the connection ended before the answer did"];

/// Checks that a single failed read is reported, or changes neither a check nor the result of an apply.
pub(super) async fn failing_looks_are_told<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let host = runner.host::<R>(case).await?;
    checks::<R>(runner, case, &host, "").await?;
    let Ok((host, _)) = runner.applied::<R>(case).await? else { return Ok(Tried::Yes) };
    let end = host.machine();
    host.model.restart();
    checks::<R>(runner, case, &host, "on a machine that is as declared, ").await?;
    for number in 0..MAX_READS {
        let host = runner.host::<R>(case).await?;
        let cx = host.apply();
        let Ok(mut task) = runner.prepare::<R>(&host, &cx, &case.values).await? else { break };
        if !runner.check::<R>(&host, &cx, &mut task).await?.is_ok_and(|status| status.has_changes()) {
            break;
        }
        host.model.fail_read_after(number);
        let applied = runner.apply::<R>(&host, &cx, &mut task).await?;
        if !host.model.has_failed_to_read() {
            break;
        }
        drop(task);
        let effects = description::effects(&host.effects());
        let moment = format!("the {}. look of an apply failed, and it {effects}", number + 1);
        if applied.is_ok() && host.machine() != end {
            return Err(Breach(format!(
                "{moment}; it says that it has worked: {}",
                description::differing(&host.machine(), &end)
            )));
        }
        is_finished::<R>(runner, case, &host, &end, &moment).await?;
    }
    Ok(Tried::Yes)
}

/// Fails each read of a check in turn. The host is not changed.
async fn checks<R: Resource>(
    runner: &Runner<'_>,
    case: &Case,
    host: &Host,
    where_: &str,
) -> Result<(), Breach> {
    let reference = runner.look::<R>(host, &case.values).await?;
    for number in 0..MAX_READS {
        host.model.fail_read_after(number);
        let checked = runner.look::<R>(host, &case.values).await?;
        let has_failed = host.model.has_failed_to_read();
        host.model.restart();
        if !has_failed {
            break;
        }
        if is_told(&checked) || said(&checked) == said(&reference) {
            continue;
        }
        return Err(Breach(format!(
            "{where_}the {}. look of a check fails, and the check does not say so: it says `{}`, where it says `{}` when nothing fails",
            number + 1,
            said(&checked),
            said(&reference)
        )));
    }
    Ok(())
}

fn said(checked: &Result<Status, Error>) -> String {
    match checked {
        Ok(status) => description::status(status),
        Err(error) => error.to_string(),
    }
}

/// Whether the check failed, or reports why it does not know the state.
fn is_told(checked: &Result<Status, Error>) -> bool {
    match checked {
        Err(_) => true,
        Ok(status) => {
            status.level() >= StatusLevel::CantChange || {
                let text = description::status(status);
                READ_ERRORS.iter().any(|reason| text.contains(reason))
            }
        }
    }
}
