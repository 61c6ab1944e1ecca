//! The routes of the service.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use converge_core::engine::OnDrift;
use converge_core::prelude::embed::{Graph, Plan};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::answer::{Events, Refusal};
use super::fleet::{Fleet, StoredPlan};

/// The maximum duration of a run; `GRACE` is the additional time for an orderly end.
const RUN: Duration = Duration::from_mins(30);
const GRACE: Duration = Duration::from_secs(10);

type Params = Map<String, Value>;

/// Returns the routes of the service.
pub(crate) fn routes(fleet: Fleet) -> Router {
    Router::new()
        .route("/modules", get(modules))
        .route("/modules/{name}", put(put_module))
        .route("/modules/{name}/plan", post(plan_module))
        .route("/plans/{number}", get(show_plan))
        .route("/plans/{number}/apply", post(apply_plan))
        .route("/stats", get(stats))
        .with_state(Arc::new(fleet))
}

async fn modules(State(fleet): State<Arc<Fleet>>) -> Json<Vec<String>> {
    Json(fleet.modules())
}

async fn stats(State(fleet): State<Arc<Fleet>>) -> Json<Value> {
    let cached = fleet.cached();
    Json(json!({ "modules": { "hits": cached.hits, "misses": cached.misses, "bytes": cached.bytes } }))
}

async fn put_module(
    State(fleet): State<Arc<Fleet>>,
    Path(name): Path<String>,
    text: String,
) -> Result<StatusCode, Refusal> {
    // Loading is CPU-bound work.
    spawn_blocking(move || fleet.put(name, text.into())).await??;
    Ok(StatusCode::NO_CONTENT)
}

async fn plan_module(
    State(fleet): State<Arc<Fleet>>,
    Path(module): Path<String>,
    params: Option<Json<Params>>,
) -> Result<Events, Refusal> {
    let Json(params) = params.unwrap_or_default();
    let (graph, params) = load(&fleet, module.clone(), params).await?;
    let run = fleet.engine().make_plan(&graph).deadline(RUN).grace(GRACE).spawn();
    Ok(Events::new(run, graph, move |planned| match planned {
        Ok(plan) => {
            let changes = plan.report.summary.has_changes();
            json!({ "plan": fleet.keep(StoredPlan { module, params, plan }), "changes": changes })
        }
        Err(error) => json!({ "error": error.to_string() }),
    }))
}

async fn show_plan(State(fleet): State<Arc<Fleet>>, Path(number): Path<u64>) -> Result<Json<Plan>, Refusal> {
    let stored = fleet.plan(number).ok_or(Refusal::NoSuchPlan(number))?;
    Ok(Json(stored.plan.clone()))
}

/// Applies exactly the stored plan.
///
/// The request is refused if the module has changed, or if somebody has changed the machine by hand.
async fn apply_plan(State(fleet): State<Arc<Fleet>>, Path(number): Path<u64>) -> Result<Events, Refusal> {
    let stored = fleet.plan(number).ok_or(Refusal::NoSuchPlan(number))?;
    let (graph, _) = load(&fleet, stored.module.clone(), stored.params.clone()).await?;
    let run = fleet.engine().apply_plan(&graph, &stored.plan).on_drift(OnDrift::Refuse);
    Ok(Events::new(run.deadline(RUN).grace(GRACE).spawn(), graph, |applied| match applied {
        Ok(report) => json!({ "success": report.summary.is_success() }),
        Err(error) => json!({ "error": error.to_string() }),
    }))
}

async fn load(fleet: &Arc<Fleet>, module: String, params: Params) -> Result<(Arc<Graph>, Params), Refusal> {
    let fleet = Arc::clone(fleet);
    let load = move || fleet.load(&module, &params).map(|graph| (graph, params));
    Ok(spawn_blocking(load).await??)
}
