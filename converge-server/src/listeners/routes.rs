//! The routers of a listener.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Version};
use hyper::Request;

use super::protocol::Protocol;

/// The routers of a listener.
#[derive(Clone)]
pub(crate) enum Routes {
    /// HTTP/1.1 only.
    Http(Router),
    /// gRPC over HTTP/2 only.
    Grpc(Router),
    /// HTTP and gRPC.
    ///
    /// HTTP is served in both versions, because browsers prefer HTTP/2 wherever it is offered.
    Both {
        /// The router for everything except gRPC calls.
        http: Router,
        /// The router for gRPC calls.
        grpc: Router,
    },
}

impl Routes {
    /// Returns the supported protocols in order of preference.
    pub(super) fn protocols(&self) -> &'static [Protocol] {
        match self {
            Self::Http(_) => &[Protocol::Http1],
            Self::Grpc(_) => &[Protocol::Http2],
            Self::Both { .. } => &[Protocol::Http2, Protocol::Http1],
        }
    }

    pub(super) fn router_for<B>(&self, request: &Request<B>) -> &Router {
        match self {
            Self::Http(routes) | Self::Grpc(routes) => routes,
            Self::Both { grpc, .. } if request.version() == Version::HTTP_2 && is_call(request.headers()) => {
                grpc
            }
            Self::Both { http, .. } => http,
        }
    }
}

/// Whether a request is a gRPC call.
pub(crate) fn is_call(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    content_type.strip_prefix(b"application/grpc").is_some_and(|rest| matches!(rest, [] | [b'+' | b';', ..]))
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
