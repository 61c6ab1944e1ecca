//! The law that an apply makes exactly the changes that were reported.

use std::path::Path;

use super::super::case::{Case, Values};
use super::super::runner::{Breach, Runner, Tried, Verdict, left};
use super::revert::{Single, singles};
use crate::sdk::resource::{Preparer, Resource};
use crate::types::footprint::{Footprint, Verb, aspect, kind};
use crate::types::schema::find_field;

/// The maximum number of changes of one apply that are taken back, each in its own trial.
const MAX_CHANGES: usize = 24;

/// Checks that each change of an apply is either visible to the check or named by it.
///
/// A change is visible if the check reports something to do after only this change is taken back.
pub(super) async fn are_reported<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let before = runner.host::<R>(case).await?.machine();
    let (host, applied) = match runner.applied::<R>(case).await? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    let after = host.machine();
    if host.effects().is_empty() && after == before {
        return Err(Breach(format!(
            "the check reported changes ({}) and the apply says that it has made them, but nothing has happened on the \
             machine: does it change anything, is each effect awaited, and is that through `cx.system()`, and not with `std::fs` or \
             `std::process`?",
            applied.reported
        )));
    }
    if applied.left().is_some() {
        return Ok(Tried::No("something is left after the apply".to_owned()));
    }
    let touched = touched::<R>(&case.values);
    let changes = singles(&before, &after);
    let made_and_named =
        changes.iter().filter(|single| single.is_named(&applied.reported)).filter_map(Single::created_path);
    let made_and_named: Vec<&Path> = made_and_named.collect();
    for single in changes.iter().take(MAX_CHANGES) {
        // The content of a new directory that was named is covered by the directory.
        let comes_along = |path: &Path| path.ancestors().any(|ancestor| made_and_named.contains(&ancestor));
        if single.is_named(&applied.reported)
            || single.created_path().is_some_and(comes_along)
            || is_touched(single, &touched)
            || runner.beside.iter().any(|name| single.is_of(name))
        {
            continue;
        }
        host.model.alter(|machine| {
            *machine = after.clone();
            single.take_back(machine);
        });
        let is_reported = left(&runner.look::<R>(&host, &case.values).await?).is_some();
        if !is_reported {
            return Err(Breach(format!(
                "the apply {}, which the check does not look at, and does not name: it said {}",
                single.description(),
                applied.reported
            )));
        }
    }
    Ok(Tried::Yes)
}

/// Returns the footprint entries that the resource declares as touched.
fn touched<R: Preparer>(values: &Values) -> Footprint {
    let block = R::block();
    let value_of = |index: usize| {
        let field = block.fields.get(index)?;
        let has_name = |name: &str| find_field(&block.fields, name).is_some_and(|(at, _)| at == index);
        let value = values.iter().find(|(name, _)| has_name(name)).map(|(_, value)| value.clone());
        value.or_else(|| field.default.clone())
    };
    let mut footprint = Footprint::of_fields(&block.fields, &mut { value_of });
    footprint.claims.retain(|claim| claim.verb == Verb::Touches);
    footprint
}

fn is_touched(single: &Single, touched: &Footprint) -> bool {
    touched.claims.iter().any(|claim| {
        let name = claim.thing.name();
        match single {
            Single::User(changed, _) => claim.thing.kind() == kind::USER && changed == name,
            Single::Group(changed, _) => claim.thing.kind() == kind::GROUP && changed == name,
            Single::Fact(..) => false,
            Single::Made(path, _) | Single::Replaced(path, ..) | Single::Aspect(path, ..) => {
                let is_below = claim.aspect == Some(aspect::TREE) && path.starts_with(name);
                claim.thing.is_path() && (is_below || path.as_os_str() == name)
            }
        }
    })
}
