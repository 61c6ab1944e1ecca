//! The HTTP listener.

mod body;
mod controllers;
mod error_response;
mod health;
mod join;
mod middleware;
mod modules;
mod request_metrics;
mod resources;
mod secrets;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};

use crate::listeners::ListenerState;
use crate::page;

/// Returns the router of all requests.
pub(crate) fn routes(doors: ListenerState) -> Router {
    let (limits, bodies) = (doors.limits.clone(), doors.bodies.clone());
    let router = Router::new()
        .route("/v1/controllers", get(controllers::status))
        .route("/v1/controllers/graph", get(controllers::graph))
        .route("/v1/openapi.json", get(controllers::openapi))
        .route("/v1/modules/{name}/graph", get(modules::graph))
        .route("/metrics", get(controllers::metrics))
        .route_layer(from_fn(middleware::no_node));
    let caller_routes = router
        .nest("/v1/resources", resources::routes())
        .route("/v1/join/renew", post(join::renew))
        .route("/v1/node/secrets/{name}", get(secrets::open))
        .fallback(error_response::no_such_path)
        .method_not_allowed_fallback(error_response::no_such_method)
        .layer(from_fn_with_state(doors.clone(), middleware::admit));
    // Probes have no token.
    let open_paths =
        caller_routes.route("/v1/health", get(health::health)).route("/v1/ready", get(health::ready));
    // A joining node only has a join token.
    let joining = Router::new()
        .route("/v1/join", post(join::join))
        .method_not_allowed_fallback(error_response::no_such_method)
        .layer(from_fn_with_state(doors.clone(), middleware::meant));
    // The page itself needs no token, because it asks the user for one.
    let page = page::routes()
        .method_not_allowed_fallback(error_response::no_such_method)
        .layer(from_fn_with_state(doors.clone(), middleware::meant));
    let all_paths = open_paths.merge(joining).merge(page);
    let counted = from_fn_with_state(Arc::clone(&doors.counts), request_metrics::counted);
    middleware::limited(all_paths.with_state(doors), &limits, bodies).layer(counted)
}
