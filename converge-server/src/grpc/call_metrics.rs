//! Metrics of calls by method and status code.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use super::methods;
use crate::metrics::{Answering, Asked, Code, Limit, ListenerCounts};

/// The name of the header or trailer with the status code.
const STATUS: &str = "grpc-status";
/// The label of calls to an unknown method.
const OTHER: &str = "other";
/// The reflection services, which have one method each.
const REFLECTION: [&str; 2] =
    ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
const REFLECT: &str = "ServerReflectionInfo";

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
    let mut answering = counts.answering(asked(request.uri().path()));
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

/// Returns the method of a path, or the label for unknown methods.
fn asked(path: &str) -> Asked {
    let call = |route: &str, method| Asked { route: route.to_owned(), method };
    let result = path.strip_prefix('/').and_then(|path| {
        let (service, method) = path.split_once('/')?;
        if service == methods::SERVICE {
            let method = methods::NAMES.into_iter().find(|name| *name == method)?;
            return Some(call(service, method));
        }
        (REFLECTION.contains(&service) && method == REFLECT).then(|| call(service, REFLECT))
    });
    result.unwrap_or_else(|| call(OTHER, OTHER))
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
    fn what_is_asked() {
        let check = |path: &str, route: &str, method: &str| {
            let actual = asked(path);
            assert_eq!((actual.route.as_str(), actual.method), (route, method), "{path}");
        };
        for method in methods::methods() {
            check(&format!("/{}/{}", methods::SERVICE, method.name()), methods::SERVICE, method.name());
        }
        for service in REFLECTION {
            check(&format!("/{service}/{REFLECT}"), service, REFLECT);
        }
        for other in
            ["", "/", "//", "/converge.resource.ResourceService/Guess", "/a/Read", "/a/ServerReflectionInfo"]
        {
            check(other, OTHER, OTHER);
        }
    }

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
