//! The law that exports set by an apply are declared as computed.

use super::super::case::Case;
use super::super::runner::{Breach, Runner, Tried, Verdict};
use crate::sdk::export::{Export, Exports};
use crate::sdk::resource::{Preparer, Resource};
use crate::types::schema::{ExportField, Shape};

pub(super) async fn are_computed<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let (_, applied) = match runner.applied::<R>(case).await? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    let host = runner.host::<R>(case).await?;
    let cx = host.plan();
    let Ok(mut task) = runner.prepare::<R>(&host, &cx, &case.values).await? else { return Ok(Tried::Yes) };
    if runner.check::<R>(&host, &cx, &mut task).await?.is_err() {
        return Ok(Tried::Yes);
    }
    let fields = <<R as Preparer>::Task as Export>::export_fields();
    let (planned, after) = (task.exports(), applied.task.exports());
    match differing(&fields, &planned, &after, &mut Vec::new()) {
        None => Ok(Tried::Yes),
        Some(breach) => Err(breach),
    }
}

/// Returns the breach for the first export that was known before the apply and differs after it.
fn differing<'f>(
    fields: &'f [ExportField],
    planned: &Exports,
    after: &Exports,
    path: &mut Vec<&'f str>,
) -> Option<Breach> {
    for field in fields.iter().filter(|field| !field.computed) {
        path.push(field.name);
        let inner = match &field.shape {
            Shape::Struct(fields) => differing(fields, planned, after, path),
            Shape::Plain | Shape::Open => {
                let (before, after) = (planned.get(path), after.get(path));
                let unknown = before.is_some_and(|value| value.find_unknown().is_some());
                (!unknown && before != after).then(|| {
                    let text_of = |value: Option<&crate::types::value::Value>| {
                        value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
                    };
                    Breach(format!(
                        "the export `{}` is {} in a plan, and {} after the apply: what looks it up is planned with the one and \
                         applied with the other; declare it `#[export(computed)]`",
                        path.join("."),
                        text_of(before),
                        text_of(after)
                    ))
                })
            }
        };
        path.pop();
        if inner.is_some() {
            return inner;
        }
    }
    None
}
