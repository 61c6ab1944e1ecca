//! The middleware of every request.

use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tokio::time::timeout;

use crate::listeners::{
    BodyBudget, Limits, ListenerState, Refusal, authenticate, check_request_host, refuse_nodes,
};
use crate::metrics::Limit;

/// Adds limits on size, memory and time to the routes.
pub(super) fn limited(routes: Router, limits: &Limits, bodies: BodyBudget) -> Router {
    // A body without a declared length is refused while it is read.
    let routes = routes.layer(DefaultBodyLimit::max(limits.body));
    let routes = routes.layer(from_fn_with_state(bodies, counted));
    routes.layer(from_fn_with_state(limits.clone(), within))
}

async fn within(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    if request.body().size_hint().lower() > limits.body as u64 {
        return Refusal::too_large(limits.body).into_response();
    }
    let answered = timeout(limits.request_time, next.run(request)).await;
    answered.unwrap_or_else(|_| Refusal::too_late(limits.request_time.as_secs_f64()).into_response())
}

/// Refuses a body if the memory budget is exhausted.
async fn counted(State(bodies): State<BodyBudget>, request: Request, next: Next) -> Response {
    let (request, memory) = bodies.counted(request);
    let answered = next.run(request).await;
    memory.refusal().map_or(answered, |refusal| {
        let mut refused = refusal.into_response();
        // The metrics middleware reads this.
        refused.extensions_mut().insert(Limit::Memory);
        refused
    })
}

/// Authenticates the caller.
pub(super) async fn admit(State(doors): State<ListenerState>, request: Request, next: Next) -> Response {
    match authenticate(&doors, request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Refuses nodes.
pub(super) async fn no_node(request: Request, next: Next) -> Response {
    match refuse_nodes(request.extensions()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Refuses requests for another host; needs no authentication.
pub(super) async fn meant(State(doors): State<ListenerState>, request: Request, next: Next) -> Response {
    match check_request_host(&doors, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}
