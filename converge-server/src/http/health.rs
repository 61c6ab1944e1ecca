//! The health and readiness checks.

use std::error::Error;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use converge_controller::builtin_types::Partition;
use converge_controller::runtime::{ControllerStatus, Phase};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Scope, StoredResource as _};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::listeners::ListenerState;

/// The maximum time for the store to answer.
///
/// Probes of readiness do not wait much longer.
const STORE: Duration = Duration::from_secs(5);

/// The time for which the lease of a controller may be vacant.
///
/// A server that is gone still holds its lease for up to 10 s, which counts as held. The rest is for another
/// server to notice and to query a busy store.
const VACANT: Duration = Duration::from_secs(15);

/// Answers that the server is alive.
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// Answers whether the server is ready for requests.
pub(super) async fn ready(State(doors): State<ListenerState>) -> Response {
    match check(&doors).await {
        Ok(()) => Json(json!({ "status": "ready" })).into_response(),
        Err(problem) => {
            let body = json!({ "status": "not ready", "problem": problem.to_string() });
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}

/// Checks that the server is not stopping, its store answers, and its controllers run somewhere.
async fn check(doors: &ListenerState) -> Result<(), Box<dyn Error + Send + Sync>> {
    if doors.stopping.is_cancelled() {
        return Err("the server is about to stop".into());
    }
    // The default partition always exists.
    let default =
        Id::new(Partition::resource_type().clone(), Scope::Cluster.default_tenancy(), "default".parse()?);
    let answered = timeout(STORE, doors.own.read(&default, Consistency::Strong)).await;
    answered.map_err(|_| format!("the store has not answered for {STORE:?}"))??;
    Ok(run(&doors.controllers.status())?)
}

/// Returns the names of controllers that do not run.
///
/// Their errors are not included, because this route needs no authentication.
fn run(controllers: &[ControllerStatus]) -> Result<(), String> {
    let problems: Vec<_> = controllers.iter().filter_map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

fn problem(controller: &ControllerStatus) -> Option<String> {
    let name = &controller.name;
    match (controller.supervisor.phase, controller.vacant) {
        (Phase::Stopped, _) => Some(format!("the controller {name} has ended")),
        (Phase::Restarting, _) => Some(format!(
            "the controller {name} has failed and is restarting; `converge controllers status` shows why"
        )),
        (Phase::Waiting, Some(vacant)) if vacant > VACANT => Some(format!(
            "the controller {name} runs on no server: nobody has held its lease for {} s",
            vacant.as_secs()
        )),
        (Phase::Waiting | Phase::Running, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use converge_controller::runtime::{Placement, Reconciles, SupervisorStatus};

    use super::*;

    fn controller(name: &str, phase: Phase, vacant: Option<u64>) -> ControllerStatus {
        let last_error = Some("a secret is wrong".to_owned());
        ControllerStatus {
            name: name.to_owned(),
            managed_type: "demo.v2.Artist".to_owned(),
            watched_types: Vec::new(),
            placement: Placement::Singleton,
            supervisor: SupervisorStatus { phase, restart_in: None, restarts: 1, last_error },
            vacant: vacant.map(Duration::from_secs),
            reconciles: Reconciles::default(),
            last_error: None,
            events: Vec::new(),
            run: None,
        }
    }

    #[test]
    fn which_controllers_do_not_run() {
        #[track_caller]
        fn check(phase: Phase, vacant: Option<u64>, expect: Option<&str>) {
            assert_eq!(problem(&controller("reaper", phase, vacant)).as_deref(), expect);
        }
        check(Phase::Running, None, None);
        // Another server leads.
        check(Phase::Waiting, None, None);
        // The leader has just gone.
        check(Phase::Waiting, Some(0), None);
        check(Phase::Waiting, Some(15), None);
        let nobody = "the controller reaper runs on no server: nobody has held its lease for 16 s";
        check(Phase::Waiting, Some(16), Some(nobody));
        let failed =
            "the controller reaper has failed and is restarting; `converge controllers status` shows why";
        check(Phase::Restarting, None, Some(failed));
        check(Phase::Stopped, None, Some("the controller reaper has ended"));
        check(Phase::Stopped, Some(16), Some("the controller reaper has ended"));
    }

    #[test]
    fn all_that_do_not_run_are_named() {
        let [one, two, three] = [("one", Phase::Stopped), ("two", Phase::Running), ("three", Phase::Stopped)]
            .map(|(name, phase)| controller(name, phase, None));
        let actual = run(&[one, two.clone(), three]);
        assert_eq!(actual.unwrap_err(), "the controller one has ended; the controller three has ended");
        assert_eq!(run(&[two]), Ok(()));
        assert_eq!(run(&[]), Ok(()));
    }
}
