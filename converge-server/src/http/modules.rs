//! The route for the graph of a stored module.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query};
use converge_controller::storage::Consistency;
use converge_controller::{Id, StoredResource as _, Tenancy, Typed};
use converge_core::Limits;
use converge_core::load::{Loader, Memory, Sources, Visible};
use converge_core::view::json;
use serde::Deserialize;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::fleet::types::{Content, Module};
use crate::listeners::{Kind, Refusal, RequestContext, partition};

/// The maximum time to load a module.
const TIME: Duration = Duration::from_secs(2);
/// The maximum number of nodes in a graph.
const PARTS: usize = 5_000;

/// The tenancy of the module.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
}

/// Returns the graph and the diagnostics of a module, as far as its text can be understood.
///
/// The module is loaded in isolation: no file, environment variable or other module is read.
pub(super) async fn graph(
    doors: RequestContext,
    Path(name): Path<String>,
    whose: Result<Query<Whose>, QueryRejection>,
) -> Result<Json<Value>, Refusal> {
    let Query(Whose { partition: whose, namespace }) =
        whose.map_err(|error| Refusal::invalid(error.body_text()))?;
    let partition = partition(&whose, &namespace, doors.client.caller().defaults());
    let tenancy = Tenancy::from_units(&partition, &namespace).map_err(Refusal::wrong)?;
    let id = Id::new(Module::resource_type().clone(), tenancy, name.parse().map_err(Refusal::wrong)?);
    let module = doors.client.read(&id, Consistency::Eventual).await?;
    let module: Typed<Module> = module.try_into().map_err(internal)?;
    if module.content.source.is_some() {
        let message = "the server does not have the text of this module: agents fetch it from its source";
        return Err(Refusal::new(Kind::FailedPrecondition, message));
    }
    // The permit is held until loading ends, even if the client has gone.
    let permit = Arc::clone(&doors.graphs).acquire_owned().await.map_err(internal)?;
    let drawing = spawn_blocking(move || {
        let _permit = permit;
        draw(&format!("{name}.hcl"), &module.content)
    });
    Ok(Json(drawing.await.map_err(internal)??))
}

fn internal(error: impl std::error::Error) -> Refusal {
    Refusal::new(Kind::Internal, error.to_string())
}

/// Returns the output of `converge graph --format json` for the text, with `problems`.
fn draw(name: &str, content: &Content) -> Result<Value, Refusal> {
    let registry = converge_resources::registry().map_err(internal)?;
    let limits = Limits { resources: PARTS, ..Limits::default() };
    let mut loader = Loader::new(&registry)
        .for_inspection()
        .with_sources(Sources::only(Memory::new().with(name, content.text.as_str())))
        .with_visible(Visible::nothing())
        .with_limits(limits)
        .with_deadline(TIME);
    for (name, value) in &content.params {
        loader = loader.with_param(name.as_str(), value.as_str());
    }
    let module = loader.load(name);
    let graph = json::graph(module.partial_graph(), &module.sources);
    let mut json = serde_json::to_value(graph).map_err(internal)?;
    let problems: Result<Vec<_>, _> = module
        .diagnostics
        .iter()
        .map(|problem| serde_json::to_value(json::diagnostic(problem, &module.sources)))
        .collect();
    json["problems"] = problems.map_err(internal)?.into();
    Ok(json)
}
