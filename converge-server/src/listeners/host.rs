//! The check of the host that a request names.

use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use converge_core::system::Url;

use super::error_response::{Kind, Refusal};

/// Refuses a request for a host name that is not this machine.
///
/// A web page can make its own domain name resolve to this machine, and so read data that are only served
/// locally (DNS rebinding). The browser still sends the domain name in the request.
pub(crate) fn check_host(headers: &HeaderMap, authority: Option<&Authority>) -> Result<(), Refusal> {
    let message = match host(headers, authority) {
        Some(host) if is_here(host) => return Ok(()),
        Some(host) => format!("{host} is not this machine: ask for 127.0.0.1, [::1] or localhost"),
        None => "the request does not say for which host it is".to_owned(),
    };
    Err(Refusal::new(Kind::Misdirected, message))
}

/// Returns the host that the request names.
fn host<'a>(headers: &'a HeaderMap, authority: Option<&'a Authority>) -> Option<&'a str> {
    // A request with two hosts is not legitimate.
    let mut hosts = headers.get_all(HOST).iter();
    match (authority, hosts.next(), hosts.next()) {
        (_, _, Some(_)) => None,
        (Some(authority), _, None) => Some(authority.as_str()),
        (None, host, None) => host?.to_str().ok(),
    }
}

fn is_here(host: &str) -> bool {
    // A URL could continue with a path, which is no part of an authority.
    host.parse::<Authority>().is_ok()
        && format!("http://{host}").parse().is_ok_and(|url: Url| url.is_loopback())
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
        check("localhost/example.org", false);
        check("localhost:8500:1", false);
        check("", false);
    }
}
