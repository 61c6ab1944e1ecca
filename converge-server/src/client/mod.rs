//! Asks a server that runs.

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

/// How long an answer may take: nothing that is asked for here takes long.
const TIME: Duration = Duration::from_secs(10);
/// How long an answer may be.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A server, as the commands ask it.
#[derive(Debug)]
pub(crate) struct ServerClient {
    url: String,
    agent: Agent,
    token: Option<Bearer>,
}

/// What a server says instead of an answer.
#[derive(Debug, Deserialize)]
struct Refused {
    error: Problem,
}

#[derive(Debug, Deserialize)]
struct Problem {
    message: String,
}

impl ServerClient {
    /// A server at a URL, which knows by a token who asks, if there is one.
    pub(crate) fn new(url: &str, asking: Asking) -> Result<Self, AskError> {
        let Asking { token, authorities, .. } = asking;
        let wrong = || AskError::Url { url: url.to_owned() };
        let secure = url.strip_prefix("https://");
        let host = secure.or_else(|| url.strip_prefix("http://")).ok_or_else(wrong)?.trim_end_matches('/');
        if host.is_empty() || host.contains(['/', '?', '#', '@']) {
            return Err(wrong());
        }
        let config = Agent::config_builder();
        // To read what a machine trusts takes a while.
        let config = if secure.is_some() { config.tls_config(authorities.for_ureq()) } else { config };
        let agent = config
            .http_status_as_error(false)
            .timeout_global(Some(TIME))
            .max_redirects(0)
            // A proxy of this machine knows other servers than this machine does.
            .proxy(None)
            .user_agent(concat!("converge-server/", env!("CARGO_PKG_VERSION")))
            .build();
        if token.is_some() && secure.is_none() && !is_this_machine(host) {
            return Err(AskError::Plain { url: url.to_owned() });
        }
        let scheme = if secure.is_some() { "https" } else { "http" };
        Ok(Self { url: format!("{scheme}://{host}"), agent: agent.into(), token })
    }

    /// The text at a path.
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

    /// The JSON at a path.
    pub(crate) fn json<T: for<'de> Deserialize<'de>>(&self, path: &str) -> Result<T, AskError> {
        let strange = |error: serde_json::Error| AskError::Strange {
            url: self.url.clone(),
            problem: error.to_string(),
        };
        serde_json::from_str(&self.text(path)?).map_err(strange)
    }
}

/// Whether a host, with its port, is this machine, so that what is sent to it is seen by nobody on the way.
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
