//! Clients of a running server.

mod bearer;
mod error;
mod http;
mod trust;

use std::net::IpAddr;
use std::time::Duration;

use serde::Deserialize;
use ureq::Agent;

pub(crate) use bearer::Bearer;
pub(crate) use error::AskError;
pub(crate) use http::{Address, HttpError, Watch};
pub(crate) use trust::{Asking, Authorities, ClientCertificate};

/// The maximum time for an answer.
///
/// Every request of the commands is short.
const TIME: Duration = Duration::from_secs(10);
/// The maximum size of an answer in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A blocking client for the commands.
#[derive(Debug)]
pub(crate) struct ServerClient {
    url: String,
    agent: Agent,
    token: Option<Bearer>,
}

/// The body of an error response.
#[derive(Debug, Deserialize)]
struct Refused {
    error: Problem,
}

#[derive(Debug, Deserialize)]
struct Problem {
    message: String,
}

impl ServerClient {
    /// Creates a client of the server at a URL, with a token if there is one.
    pub(crate) fn new(url: &str, asking: Asking) -> Result<Self, AskError> {
        let Asking { token, authorities, .. } = asking;
        let error = || AskError::Url { url: url.to_owned() };
        let secure = url.strip_prefix("https://");
        let host = secure.or_else(|| url.strip_prefix("http://")).ok_or_else(error)?.trim_end_matches('/');
        if host.is_empty() || host.contains(['/', '?', '#', '@']) {
            return Err(error());
        }
        let config = Agent::config_builder();
        // Reading the certificates of the machine takes a while, so it is skipped without TLS.
        let config = if secure.is_some() { config.tls_config(authorities.for_ureq()) } else { config };
        let agent = config
            .http_status_as_error(false)
            .timeout_global(Some(TIME))
            .max_redirects(0)
            // A proxy that is configured on this machine may resolve names and addresses differently.
            .proxy(None)
            .user_agent(concat!("converge-server/", env!("CARGO_PKG_VERSION")))
            .build();
        if token.is_some() && secure.is_none() && !is_this_machine(host) {
            return Err(AskError::Plain { url: url.to_owned() });
        }
        let scheme = if secure.is_some() { "https" } else { "http" };
        Ok(Self { url: format!("{scheme}://{host}"), agent: agent.into(), token })
    }

    pub(crate) fn text(&self, path: &str) -> Result<String, AskError> {
        let url = || self.url.clone();
        let unreachable = |error: ureq::Error| AskError::unreachable(url(), error.to_string());
        let mut request = self.agent.get(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", token.header());
        }
        let answer = request.call().map_err(unreachable)?;
        let status = answer.status();
        let text = answer.into_body().into_with_config().limit(MOST_BYTES).read_to_string();
        let text = text.map_err(unreachable)?;
        if status.is_success() {
            return Ok(text);
        }
        match serde_json::from_str(&text) {
            Ok(Refused { error: Problem { message } }) => Err(AskError::Refused { url: url(), message }),
            Err(_) => Err(AskError::Strange { url: url(), problem: format!("it says {status}") }),
        }
    }

    pub(crate) fn json<T: for<'de> Deserialize<'de>>(&self, path: &str) -> Result<T, AskError> {
        let strange = |error: serde_json::Error| AskError::Strange {
            url: self.url.clone(),
            problem: error.to_string(),
        };
        serde_json::from_str(&self.text(path)?).map_err(strange)
    }
}

/// Whether a host with its port is this machine, so that nobody can read what is sent to it.
pub(crate) fn is_this_machine(host: &str) -> bool {
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
    use super::*;

    #[test]
    fn what_names_a_server() {
        let check = |url: &str, expect: Option<&str>| {
            let client = ServerClient::new(url, Asking::default());
            assert_eq!(client.as_ref().ok().map(|client| client.url.as_str()), expect, "{url}");
        };
        check("http://127.0.0.1:8500", Some("http://127.0.0.1:8500"));
        check("http://[::1]:8500/", Some("http://[::1]:8500"));
        check("127.0.0.1:8500", None);
        check("https://127.0.0.1:8500", Some("https://127.0.0.1:8500"));
        check("ftp://127.0.0.1:8500", None);
        check("http://", None);
        check("http://host/path", None);
        check("http://user@host", None);
    }

    #[test]
    fn a_token_is_sent_to_this_machine_alone() {
        let check = |url: &str, expect: bool| {
            let asking = Asking { token: Some(Bearer::new("secret")), ..Asking::default() };
            let client = ServerClient::new(url, asking);
            assert_eq!(client.is_ok(), expect, "{url}");
        };
        check("http://127.0.0.1:8500", true);
        check("http://[::1]:8500", true);
        check("http://localhost", true);
        check("http://10.0.0.1:8500", false);
        check("https://10.0.0.1:8500", true);
        check("http://localhost.example.org", false);
    }
}
