//! Whether the server is alive, and whether it should be asked.

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

use crate::listeners::Doors;

/// How long the store may take to answer. Who asks whether the server is ready does not wait much longer.
const STORE: Duration = Duration::from_secs(5);

/// For how long nobody may hold the lease of a controller. Who held it and is gone holds it for 10 s at most, and that counts
/// as held; the rest is for others to notice it and to ask a store that is busy.
const VACANT: Duration = Duration::from_secs(15);

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

/// It is not about to stop, its store answers, and its controllers run, here or elsewhere.
async fn check(doors: &Doors) -> Result<(), Box<dyn Error + Send + Sync>> {
    if doors.stopping.is_cancelled() {
        return Err("the server is about to stop".into());
    }
    // It is always there.
    let default =
        Id::new(Partition::resource_type().clone(), Scope::Cluster.default_tenancy(), "default".parse()?);
    let answered = timeout(STORE, doors.own.read(&default, Consistency::Strong)).await;
    answered.map_err(|_| format!("the store has not answered for {STORE:?}"))??;
    Ok(run(&doors.controllers.status())?)
}

/// Says which controllers do not run. Everybody may ask this, so what their errors say is told elsewhere.
fn run(controllers: &[ControllerStatus]) -> Result<(), String> {
    let problems: Vec<_> = controllers.iter().filter_map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}

fn problem(controller: &ControllerStatus) -> Option<String> {
    let name = &controller.name;
    match (controller.supervisor.phase, controller.vacant) {
        (Phase::Stopped, _) => Some(format!("the controller {name} has ended")),
        (Phase::Restarting, _) => Some(format!(
            "the controller {name} has failed and begins again; `converge controllers status` says why it failed"
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
        // One has just gone.
        check(Phase::Waiting, Some(0), None);
        check(Phase::Waiting, Some(15), None);
        let nobody = "the controller reaper runs on no server: nobody has held its lease for 16 s";
        check(Phase::Waiting, Some(16), Some(nobody));
        let failed = "the controller reaper has failed and begins again; `converge controllers status` says why it failed";
        check(Phase::Restarting, None, Some(failed));
        check(Phase::Stopped, None, Some("the controller reaper has ended"));
        check(Phase::Stopped, Some(16), Some("the controller reaper has ended"));
    }

    #[test]
    fn all_that_do_not_run_are_named() {
        let [one, two, three] = [("one", Phase::Stopped), ("two", Phase::Running), ("three", Phase::Stopped)]
            .map(|(name, phase)| controller(name, phase, None));
        let said = run(&[one, two.clone(), three]);
        assert_eq!(said.unwrap_err(), "the controller one has ended; the controller three has ended");
        assert_eq!(run(&[two]), Ok(()));
        assert_eq!(run(&[]), Ok(()));
    }
}
