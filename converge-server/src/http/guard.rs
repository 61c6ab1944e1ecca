//! What every request has to pass.

use std::net::IpAddr;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tokio::time::timeout;

use super::limits::Limits;
use super::refusal::Refusal;

/// The same routes, which refuse what is too large, and end what takes too long.
pub(super) fn limited(routes: Router, limits: &Limits) -> Router {
    // A body that does not say how long it is is refused when it is read.
    let routes = routes.layer(DefaultBodyLimit::max(limits.body));
    routes.layer(from_fn_with_state(limits.clone(), within))
}

async fn within(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    if request.body().size_hint().lower() > limits.body as u64 {
        let message = format!("a request has at most {} bytes", limits.body);
        return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).into_response();
    }
    timeout(limits.request_time, next.run(request)).await.unwrap_or_else(|_| {
        let message = format!("the request took longer than {} s", limits.request_time.as_secs());
        Refusal::new(StatusCode::REQUEST_TIMEOUT, "deadline_exceeded", message).into_response()
    })
}

/// Refuses requests that were meant for another host.
///
/// A page in a browser on this machine may make its own name lead here, and so read what is served to this machine
/// alone. The browser still says for which name it asks.
pub(super) async fn of_this_machine(request: Request<Body>, next: Next) -> Response {
    match host(request.headers(), request.uri().authority()) {
        Some(host) if is_here(host) => next.run(request).await,
        host => {
            let message = match host {
                Some(host) => format!("{host} is not this machine: ask for 127.0.0.1, [::1] or localhost"),
                None => "the request does not say for which host it is".to_owned(),
            };
            Refusal::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", message).into_response()
        }
    }
}

/// For which host a request is, as it says itself.
fn host<'a>(headers: &'a HeaderMap, authority: Option<&'a Authority>) -> Option<&'a str> {
    // Two of them are said by nobody who means well.
    let mut hosts = headers.get_all(HOST).iter();
    match (authority, hosts.next(), hosts.next()) {
        (_, _, Some(_)) => None,
        (Some(authority), _, None) => Some(authority.as_str()),
        (None, host, None) => host?.to_str().ok(),
    }
}

fn is_here(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    if host.contains('@') {
        return false;
    }
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_here;

    #[test]
    fn names_of_this_machine() {
        let check = |host: &str, expect: bool| assert_eq!(is_here(host), expect, "{host}");
        check("127.0.0.1:8500", true);
        check("127.0.0.1", true);
        check("127.9.9.9:1", true);
        check("[::1]:8500", true);
        check("localhost:8500", true);
        check("LocalHost", true);
        check("localhost.example.org", false);
        check("example.org:8500", false);
        check("user@localhost", false);
        check("10.0.0.1:8500", false);
        check("[::2]", false);
        check("", false);
    }
}
