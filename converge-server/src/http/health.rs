//! Whether the server is alive, and whether it should be asked.

use std::error::Error;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use converge_controller::builtin::Partition;
use converge_controller::storage::Consistency;
use converge_controller::{Id, Scope, StoredResource as _};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::doors::Doors;

/// How long the store may take to answer. Who asks whether the server is ready does not wait much longer.
const STORE: Duration = Duration::from_secs(5);

/// That it answers is the answer.
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// Whether it should be asked.
pub(super) async fn ready(State(doors): State<Doors>) -> Response {
    match check(&doors).await {
        Ok(()) => Json(json!({ "status": "ready" })).into_response(),
        Err(problem) => {
            let body = json!({ "status": "not ready", "problem": problem.to_string() });
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}

/// It is not about to stop, and its store answers.
async fn check(doors: &Doors) -> Result<(), Box<dyn Error + Send + Sync>> {
    if doors.stopping.is_cancelled() {
        return Err("the server is about to stop".into());
    }
    // It is always there.
    let default =
        Id::new(Partition::resource_type().clone(), Scope::Cluster.default_tenancy(), "default".parse()?);
    let answered = timeout(STORE, doors.own.read(&default, Consistency::Strong)).await;
    answered.map_err(|_| format!("the store has not answered for {STORE:?}"))??;
    Ok(())
}
