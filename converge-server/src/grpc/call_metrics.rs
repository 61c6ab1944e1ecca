//! Metrics of calls by method and status code.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use crate::metrics::{Answering, Asked, Code, Limit, ListenerCounts};

/// The name of the header or trailer with the status code.
const STATUS: &str = "grpc-status";
/// The label of calls to an unknown method.
const OTHER: &str = "other";
/// The names of the status codes, by number.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// Counts a call when it ends.
pub(super) async fn counted(
    State(counts): State<Arc<ListenerCounts>>,
    request: Request,
    next: Next,
) -> Response {
    let mut answering = counts.answering(asked(&request));
    let response = next.run(request).await;
    answering.begin_answer();
    match response.headers().get(STATUS).map(code) {
        Some(code) => {
            ended(&counts, code);
            answering.finish(code);
            response
        }
        None if response.status().is_success() => {
            let going = Some((counts, answering));
            response.map(|body| Body::new(Counted { body, going }))
        }
        // The request was not a gRPC call.
        None => {
            answering.finish(Code::Http(response.status().as_u16()));
            response
        }
    }
}

/// Returns the service and the method of a call, or the label for unknown methods.
fn asked(request: &Request) -> Asked {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let names = path.and_then(|path| path.strip_prefix('/')?.split_once('/'));
    let (service, method) = names.unwrap_or((OTHER, OTHER));
    Asked { route: service.to_owned(), method: method.to_owned() }
}

fn code(status: &HeaderValue) -> Code {
    let number = status.to_str().ok().and_then(|status| status.parse::<usize>().ok());
    Code::Grpc(number.and_then(|number| CODES.get(number)).copied().unwrap_or("UNKNOWN"))
}

fn ended(counts: &ListenerCounts, code: Code) {
    if code == Code::Grpc("DEADLINE_EXCEEDED") {
        counts.refused(Limit::RequestTime).count();
    }
}

/// A response body that counts the call at its end.
///
/// A call whose body is dropped earlier counts as abandoned by the client.
struct Counted {
    body: Body,
    going: Option<(Arc<ListenerCounts>, Answering)>,
}

impl Counted {
    fn end(&mut self, trailers: &HeaderMap) {
        if let (Some(status), Some((counts, answering))) = (trailers.get(STATUS), self.going.take()) {
            let code = code(status);
            ended(&counts, code);
            answering.finish(code);
        }
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            self.end(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_it() {
        let check = |status: &str, expect: &'static str| {
            assert_eq!(code(&HeaderValue::from_str(status).unwrap()), Code::Grpc(expect), "{status}");
        };
        check("0", "OK");
        check("16", "UNAUTHENTICATED");
        for invalid in ["17", "-1", "", "x"] {
            check(invalid, "UNKNOWN");
        }
    }
}
