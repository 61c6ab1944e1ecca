//! The bearer token of requests.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// A token, which `Debug` does not show.
#[derive(Clone)]
pub(crate) struct Token(Arc<str>);

impl Token {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the value of the `Authorization` header.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Returns whether a host (with port) is this machine, so that nobody can intercept the request.
pub(super) fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn hosts_of_this_machine() {
        let check = |host: &str, expect: bool| assert_eq!(is_this_machine(host), expect, "{host}");
        check("127.0.0.1:8500", true);
        check("[::1]:8500", true);
        check("localhost", true);
        check("10.0.0.1:8500", false);
        check("localhost.example.org", false);
    }
}
