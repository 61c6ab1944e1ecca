//! The door for HTTP.

mod controllers;
mod guard;
mod health;
mod modules;
mod refusal;
mod resources;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::doors::Doors;
use crate::page;

/// The requests that are answered.
pub(crate) fn routes(doors: Doors) -> Router {
    let limits = doors.limits.clone();
    let known = Router::new()
        .route("/v1/controllers", get(controllers::status))
        .route("/v1/controllers/graph", get(controllers::graph))
        .route("/v1/openapi.json", get(controllers::openapi))
        .route("/v1/modules/{name}/graph", get(modules::graph))
        .nest("/v1/resources", resources::routes())
        .route("/metrics", get(controllers::metrics))
        .fallback(refusal::no_such_path)
        .method_not_allowed_fallback(refusal::no_such_method)
        .layer(from_fn_with_state(doors.clone(), guard::admit));
    // Whoever looks after servers asks these, and has no token.
    let routes = known.route("/v1/health", get(health::health)).route("/v1/ready", get(health::ready));
    // And whoever opens a page has none yet: it asks for one.
    let page = page::routes()
        .method_not_allowed_fallback(refusal::no_such_method)
        .layer(from_fn_with_state(doors.clone(), guard::meant));
    let routes = routes.merge(page);
    guard::limited(routes.with_state(doors), &limits)
}
