//! Counts requests by what is asked and what is answered.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::metrics::{Asked, Code, DoorCounts, Limit};

/// What is asked where there is no such route, or it cannot be asked so.
const OTHER: &str = "other";

/// Counts a request. Of its path only the route that it took is noted, and of its method whether it is one of those that are answered: whoever
/// makes up others makes nothing new to count.
pub(super) async fn counted(State(counts): State<Arc<DoorCounts>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = match *request.method() {
        // The same, without a body.
        Method::GET | Method::HEAD => "GET",
        Method::PUT => "PUT",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => OTHER,
    };
    let asked = match route {
        Some(route) => Asked { route, method },
        None => Asked { route: OTHER.to_owned(), method: OTHER },
    };
    let mut answering = counts.answering(asked);
    let response = next.run(request).await;
    answering.begins();
    let status = response.status();
    if let Some(limit) = response.extensions().get::<Limit>() {
        counts.refused(*limit).count();
    }
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => counts.refused(Limit::Body).count(),
        StatusCode::REQUEST_TIMEOUT => counts.refused(Limit::RequestTime).count(),
        StatusCode::METHOD_NOT_ALLOWED => answering.asks_by(OTHER),
        _ => {}
    }
    answering.ends(Code::Http(status.as_u16()));
    response
}
