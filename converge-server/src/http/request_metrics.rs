//! Metrics of requests by route and status.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::metrics::{Asked, Code, Limit, ListenerCounts};

/// The label of requests with an unknown route or method.
const OTHER: &str = "other";

/// Counts a request.
///
/// Only the route and known methods become labels, so a client cannot create new labels by inventing paths or
/// methods.
pub(super) async fn counted(
    State(counts): State<Arc<ListenerCounts>>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let method = match *request.method() {
        // HEAD is GET without a body.
        Method::GET | Method::HEAD => "GET",
        Method::PUT => "PUT",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => OTHER,
    };
    let (route, method) = route.map_or((OTHER, OTHER), |route| (route.as_str(), method));
    let asked = Asked { route: route.to_owned(), method: method.to_owned() };
    let mut answering = counts.answering(asked);
    let response = next.run(request).await;
    answering.begin_answer();
    let status = response.status();
    if let Some(limit) = response.extensions().get::<Limit>() {
        counts.refused(*limit).count();
    }
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => counts.refused(Limit::Body).count(),
        StatusCode::REQUEST_TIMEOUT => counts.refused(Limit::RequestTime).count(),
        StatusCode::METHOD_NOT_ALLOWED => answering.set_method(OTHER),
        _ => {}
    }
    answering.finish(Code::Http(status.as_u16()));
    response
}
