//! The gRPC listener.

mod call;
mod call_metrics;
mod codec;
mod deadline;
mod error_response;
mod messages;
mod methods;
mod pool;
mod reflection;
mod resources;
#[cfg(test)]
mod tests;
mod watch;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;

use crate::listeners::{Kind, ListenerState, Refusal, authenticate, is_call};
use crate::metrics::Limit;
use call::unanswered;
use methods::methods;

pub(crate) use pool::Pool;
use pool::Pools;

/// Returns the router of all calls.
pub(crate) fn routes(doors: ListenerState, pool: Pool) -> Router {
    let pools = Pools::new(pool);
    let reflect = post(move |State(doors): State<ListenerState>, request: Request| {
        let pools = pools.clone();
        async move { reflection::calls(doors, pools, request) }
    });
    let reflection = Router::new()
        .route("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", reflect.clone())
        .route("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", reflect);
    methods()
        .into_iter()
        .fold(reflection, |router, method| {
            router.route(&format!("/{}/{}", methods::SERVICE, method.name), method.route)
        })
        .fallback(no_such_method)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(doors.clone(), guard))
        .layer(from_fn_with_state(Arc::clone(&doors.counts), call_metrics::counted))
        .with_state(doors)
}

/// Refuses requests that are no gRPC calls, and authenticates callers.
async fn guard(State(doors): State<ListenerState>, request: Request, next: Next) -> Response {
    if !is_call(request.headers()) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    match authenticate(&doors, request).await {
        Ok(request) => {
            let (request, memory) = doors.bodies.counted(request);
            let answered = next.run(request).await;
            memory.refusal().map_or(answered, |refusal| {
                doors.counts.refused(Limit::Memory).count();
                unanswered(refusal.into())
            })
        }
        Err(refusal) => unanswered(refusal.into()),
    }
}

async fn no_such_method(request: Request) -> Response {
    let message = format!("there is no method {}", request.uri().path());
    unanswered(Refusal::new(Kind::NoSuchMethod, message).into())
}
