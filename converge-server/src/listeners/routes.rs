//! Who answers at a door.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Version};
use hyper::Request;

use super::protocol::Protocol;

/// Who answers at a door.
#[derive(Clone)]
pub(crate) enum Routes {
    /// HTTP/1.1 is spoken there.
    Http(Router),
    /// gRPC is, and so HTTP/2.
    Grpc(Router),
    /// Both are. HTTP is then spoken in either version, as browsers take the newer one wherever it is.
    Both {
        /// Answers what is no call.
        http: Router,
        /// Answers calls.
        grpc: Router,
    },
}

impl Routes {
    /// What is spoken there, the better one first.
    pub(super) fn protocols(&self) -> &'static [Protocol] {
        match self {
            Self::Http(_) => &[Protocol::Http1],
            Self::Grpc(_) => &[Protocol::Http2],
            Self::Both { .. } => &[Protocol::Http2, Protocol::Http1],
        }
    }

    /// Who answers a request.
    pub(super) fn of<B>(&self, request: &Request<B>) -> &Router {
        match self {
            Self::Http(routes) | Self::Grpc(routes) => routes,
            Self::Both { grpc, .. } if request.version() == Version::HTTP_2 && is_call(request.headers()) => {
                grpc
            }
            Self::Both { http, .. } => http,
        }
    }
}

/// Whether a request is a call of gRPC.
pub(crate) fn is_call(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    said.strip_prefix(b"application/grpc").is_some_and(|rest| matches!(rest, [] | [b'+' | b';', ..]))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn what_is_a_call() {
        fn check(content_type: &'static str, expect: bool) {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
            assert_eq!(is_call(&headers), expect, "{content_type}");
        }
        check("application/grpc", true);
        check("application/grpc+proto", true);
        check("application/grpc;charset=utf-8", true);
        check("application/grpc-web", false);
        check("application/json", false);
        check("", false);
        assert!(!is_call(&HeaderMap::new()));
    }
}
