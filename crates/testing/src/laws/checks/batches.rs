//! The law that a batch has the effect of its members applied one by one.

use super::super::case::{Case, Values};
use super::super::description;
use super::super::field_values::problems;
use super::super::runner::{Breach, Ended, Host, Runner, Tried, Verdict};
use super::super::value_pools::Pool;
use crate::sdk::resource::{Batcher, Resource};
use crate::sdk::status::TaskStatus as _;
use converge_engine::Stage;

pub(super) async fn are_their_members<R: Resource>(
    runner: &Runner<'_>,
    pools: &[Pool],
    case: &Case,
) -> Verdict {
    let Some(batcher) = R::batcher() else { return Ok(Tried::Yes) };
    let members: Vec<Values> =
        std::iter::once(case.values.clone()).chain(another::<R>(pools, case)).collect();
    let one_by_one = runner.host::<R>(case).await?;
    for values in &members {
        match runner.run::<R>(&one_by_one, values).await? {
            Ended::Applied(applied) if applied.left().is_none() => {}
            _ => return Ok(Tried::Yes),
        }
    }
    let host = runner.host::<R>(case).await?;
    together::<R>(runner, &host, &members, &batcher).await?;
    let (is, target) = (host.machine(), one_by_one.machine());
    if is == target {
        return Ok(Tried::Yes);
    }
    let differing = description::differing(&is, &target);
    Err(Breach(format!(
        "a batch of {} ends elsewhere than its members one by one: {differing}",
        members.len()
    )))
}

/// Returns the values with another value for the first field that has an alternative.
fn another<R: Resource>(pools: &[Pool], case: &Case) -> Option<Values> {
    pools.iter().filter(|pool| pool.required).find_map(|pool| {
        let index = case.values.iter().position(|(name, _)| *name == pool.name)?;
        let other = pool.valid.iter().find(|value| **value != case.values[index].1)?;
        let mut values = case.values.clone();
        values[index].1 = other.clone();
        problems::<R>(&values).ok()?.is_empty().then_some(values)
    })
}

async fn together<R: Resource>(
    runner: &Runner<'_>,
    host: &Host,
    members: &[Values],
    batcher: &Batcher<R::Task>,
) -> Result<(), Breach> {
    let cx = host.apply();
    let mut tasks = Vec::new();
    for values in members {
        let Ok(mut task) = runner.prepare::<R>(host, &cx, values).await? else { return Ok(()) };
        let Ok(status) = runner.check::<R>(host, &cx, &mut task).await? else { return Ok(()) };
        tasks.extend(status.has_changes().then_some(task));
    }
    let mut batch: Vec<&mut R::Task> = tasks.iter_mut().collect();
    let results = runner.stage(host, Stage::Apply, batcher.call(&mut batch, &cx)).await?;
    if results.len() != tasks.len() {
        return Err(Breach(format!("a batch of {} gave {} results", tasks.len(), results.len())));
    }
    for result in results {
        if let Err(error) = result {
            return Err(Breach(format!("a member fails in a batch, and does not alone: {error}")));
        }
    }
    Ok(())
}
