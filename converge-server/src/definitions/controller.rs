//! The controller of definitions, which reports on them and keeps those with resources.

use std::time::Duration;

use converge_controller::registry::TypeRegistry;
use converge_controller::runtime::{
    Action, Controller, Definition, Request, Runtime, ensure_finalizer, ensure_finalizer_removed, report,
};
use converge_controller::service::{Service, ServiceError};
use converge_controller::storage::{Consistency, Query};
use converge_controller::{Condition, ConditionState, Group, Selector, TenancyPattern, Typed};
use tokio::task::spawn_blocking;

use super::compile::Compiled;
use super::compile_error::CompileError;
use super::definition::TypeDefinition;
use super::definition_set::accept;

/// The interval at which the remaining resources are counted again.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) fn definitions() -> Definition {
    Controller::<TypeDefinition>::new("definitions").reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<TypeDefinition>) -> Result<Action, ServiceError> {
    let Some(stored) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let finalizer = TypeDefinition::finalizer();
    if stored.metadata.is_marked_for_deletion() {
        let Some(finalizer) = finalizer.filter(|finalizer| stored.metadata.has_finalizer(finalizer)) else {
            return Ok(Action::await_change());
        };
        // No resources of these types can be created any more, so the number does not grow.
        let left = remaining_resources(runtime.client.service(), stored.id.name.as_str()).await?;
        if left.is_empty() {
            ensure_finalizer_removed(&runtime, &stored, &finalizer).await?;
            return Ok(Action::await_change());
        }
        let condition = Condition::new("deleted", ConditionState::False)
            .reason("ResourcesLeft")
            .message(format!("it is removed when these are deleted: {}", format_remaining(&left)));
        report(&runtime, &stored, [condition]).await?;
        return Ok(Action::requeue(AGAIN));
    }
    let stored = match &finalizer {
        Some(finalizer) => ensure_finalizer(&runtime, &stored, finalizer).await?,
        None => stored,
    };
    let Ok(definition) = Typed::<TypeDefinition>::try_from(stored.clone()) else {
        let unreadable = Condition::new("accepted", ConditionState::False).reason("Unreadable");
        report(&runtime, &stored, [unreadable]).await?;
        return Ok(Action::await_change());
    };
    let own_types: TypeRegistry = runtime.client.service().own_types().clone();
    let compiled = spawn_blocking(move || accept(&own_types, &definition.id().name, &definition.data)).await;
    let compiled = compiled.unwrap_or_else(|error| Err(vec![CompileError::whole(error.to_string())]));
    report(&runtime, &stored, [accepted(compiled.as_ref())]).await?;
    Ok(Action::await_change())
}

fn accepted(compiled: Result<&Compiled, &Vec<CompileError>>) -> Condition {
    match compiled {
        Ok(compiled) => {
            let types: Vec<_> = compiled.types().map(ToString::to_string).collect();
            Condition::new("accepted", ConditionState::True).reason("Compiled").message(types.join(", "))
        }
        Err(mistakes) => {
            let messages: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
            Condition::new("accepted", ConditionState::False).reason("Refused").message(messages.join("; "))
        }
    }
}

/// Returns the kinds of the group that still have resources, each with their number.
///
/// All kinds of the group count, whichever types the definition of this name has.
pub(crate) async fn remaining_resources(
    service: &Service,
    name: &str,
) -> Result<Vec<(String, usize)>, ServiceError> {
    let mut left = Vec::new();
    let Ok(group) = TypeDefinition::group(name).parse::<Group>() else { return Ok(left) };
    for (_, kind) in service.backend().kinds().await?.into_iter().filter(|(of, _)| *of == group) {
        let mut count = 0;
        for tenancy in [
            TenancyPattern::Cluster,
            TenancyPattern::Partition(Selector::Any),
            TenancyPattern::Namespace(Selector::Any, Selector::Any),
        ] {
            let (group, kind) = (group.clone(), kind.clone());
            let query = Query { group, kind, tenancy, name_prefix: String::new() };
            count += service.backend().list(&query, Consistency::Strong).await?.len();
        }
        if count > 0 {
            left.push((format!("{group}.{kind}"), count));
        }
    }
    Ok(left)
}

/// Formats the remaining resources for people: `3 of demo.Album, 1 of demo.Artist`.
pub(crate) fn format_remaining(left: &[(String, usize)]) -> String {
    let counts: Vec<_> = left.iter().map(|(kind, count)| format!("{count} of {kind}")).collect();
    counts.join(", ")
}
