//! Requests to a server, and their answers.

use std::fmt::Display;
use std::io::Read;
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value as Json;
use ureq::http::StatusCode;
use ureq::{Agent, Body, RequestBuilder};

use super::bearer::{Token, is_this_machine};
use super::error::{Refusal, RemoteError};
use super::path::{Named, Query};
use super::resource::Found;
use super::trust::Authorities;
use super::type_catalog::{Description, KnownType, Types};

/// The timeout of connecting, and of the head of an answer.
const CONNECT: Duration = Duration::from_secs(10);
/// The timeout of an answer, longer than the server's own limit.
const TIME: Duration = Duration::from_secs(45);
/// The maximum size of an answer in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The URL of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerUrl(String);

impl FromStr for ServerUrl {
    type Err = String;

    fn from_str(url: &str) -> Result<Self, String> {
        let (scheme, host) = url.split_once("://").unwrap_or_default();
        let host = host.trim_end_matches('/');
        if !["http", "https"].contains(&scheme) {
            return Err("write it like https://HOST:8500, or http://127.0.0.1:8500".to_owned());
        }
        if host.is_empty() || host.contains(['/', '?', '#', '@']) || host.contains(char::is_whitespace) {
            return Err("write it like https://HOST:8500, or http://127.0.0.1:8500".to_owned());
        }
        Ok(Self(format!("{scheme}://{host}")))
    }
}

/// A client of a server.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    url: String,
    token: Option<Token>,
    agent: Agent,
    /// The HTTP agent for watches, which have no overall timeout.
    endless: Agent,
}

/// The body of an error response.
#[derive(Debug, Deserialize)]
struct Refused {
    error: Refusal,
}

#[derive(Debug, Deserialize)]
struct Listed {
    resources: Vec<Json>,
}

impl Server {
    /// Creates a client of the server at a URL, with a token if there is one.
    pub(crate) fn new(
        ServerUrl(url): ServerUrl,
        token: Option<Token>,
        authorities: &Authorities,
    ) -> Result<Self, RemoteError> {
        let http_host = url.strip_prefix("http://");
        if token.is_some() && http_host.is_some_and(|host| !is_this_machine(host)) {
            return Err(RemoteError::Plain { url });
        }
        // Loading the authorities that a machine trusts takes time, and plain HTTP does not need them.
        let tls = http_host.is_none().then(|| authorities.config());
        let agent = |time: Option<Duration>| {
            let config = match &tls {
                Some(tls) => Agent::config_builder().tls_config(tls.clone()),
                None => Agent::config_builder(),
            };
            let config = config
                .http_status_as_error(false)
                .timeout_global(time)
                .timeout_connect(Some(CONNECT))
                .timeout_recv_response(Some(TIME))
                .max_redirects(0)
                // A proxy would resolve the names of this machine differently.
                .proxy(None)
                .user_agent(concat!("converge/", env!("CARGO_PKG_VERSION")));
            Agent::from(config.build())
        };
        Ok(Self { url, token, agent: agent(Some(TIME)), endless: agent(None) })
    }

    /// Reads the types of the server.
    pub(crate) fn types(&self) -> Result<Types, RemoteError> {
        let description: Description =
            self.json(self.authorize(self.agent.get(self.at("/v1/openapi.json"))).call())?;
        Ok(Types::new(description))
    }

    pub(crate) fn read(&self, id: &Named, consistent: bool) -> Result<Found, RemoteError> {
        let query = if consistent { id.query().with("consistent", "true") } else { id.query() };
        self.one(id, self.authorize(self.agent.get(self.at(&(id.path() + query.as_str())))).call())
    }

    /// Writes a resource, and returns it as stored, or with `dry_run` as it would be.
    pub(crate) fn write(&self, id: &Named, body: &Json, dry_run: bool) -> Result<Found, RemoteError> {
        let query = if dry_run { id.query().with("dry_run", "true") } else { id.query() };
        let request = self.authorize(self.agent.put(self.at(&(id.path() + query.as_str()))));
        self.one(id, request.content_type("application/json").send(body.to_string()))
    }

    pub(crate) fn delete(&self, id: &Named, query: &Query) -> Result<(), RemoteError> {
        self.text(self.authorize(self.agent.delete(self.at(&(id.path() + query.as_str())))).call()).map(drop)
    }

    pub(crate) fn list(&self, resource_type: &KnownType, query: &Query) -> Result<Vec<Found>, RemoteError> {
        let listed: Listed = self
            .json(self.authorize(self.agent.get(self.at(&(resource_type.path() + query.as_str())))).call())?;
        let resources: Result<_, _> = listed.resources.into_iter().map(Found::new).collect();
        resources.map_err(|error| self.strange(&error))
    }

    /// Watches changes; the stream ends when the server ends it.
    pub(super) fn watch(
        &self,
        of: &KnownType,
        query: &Query,
    ) -> Result<impl Read + Send + use<>, RemoteError> {
        let query = query.clone().with("watch", "true");
        let answer = self.authorize(self.endless.get(self.at(&(of.path() + query.as_str())))).call();
        let answer = answer.map_err(|error| self.unreachable(&error))?;
        if answer.status() != StatusCode::OK {
            return Err(self.text(Ok(answer)).err().unwrap_or(RemoteError::Ended));
        }
        Ok(answer.into_body().into_reader())
    }

    /// Adds the token to a request.
    fn authorize<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        match &self.token {
            Some(token) => request.header("authorization", token.header()),
            None => request,
        }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(super) fn unreachable(&self, problem: &dyn Display) -> RemoteError {
        let (url, problem) = (self.url.clone(), problem.to_string());
        // This is the wording of rustls.
        if problem.contains("invalid peer certificate") {
            RemoteError::Untrusted { url, problem }
        } else {
            RemoteError::Unreachable { url, problem }
        }
    }

    pub(super) fn strange(&self, problem: &dyn Display) -> RemoteError {
        RemoteError::Strange { url: self.url.clone(), problem: problem.to_string() }
    }

    fn one(
        &self,
        named: &Named,
        answer: Result<ureq::http::Response<Body>, ureq::Error>,
    ) -> Result<Found, RemoteError> {
        let resource = Found::new(self.json(answer)?).map_err(|error| self.strange(&error))?;
        if resource.name() != named.name {
            return Err(self.strange(&format!(
                "asked for {}, it answers with {}",
                named.name,
                resource.name()
            )));
        }
        Ok(resource)
    }

    fn json<T: for<'de> Deserialize<'de>>(
        &self,
        answer: Result<ureq::http::Response<Body>, ureq::Error>,
    ) -> Result<T, RemoteError> {
        serde_json::from_str(&self.text(answer)?).map_err(|error| self.strange(&error))
    }

    fn text(&self, answer: Result<ureq::http::Response<Body>, ureq::Error>) -> Result<String, RemoteError> {
        let answer = answer.map_err(|error| self.unreachable(&error))?;
        let status = answer.status();
        let text = answer.into_body().into_with_config().limit(MOST_BYTES).read_to_string();
        let text = text.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                self.strange(&format!("it answers with more than {MOST_BYTES} bytes"))
            }
            error => self.unreachable(&error),
        })?;
        if status.is_success() {
            return Ok(text);
        }
        match serde_json::from_str(&text) {
            Ok(Refused { error }) => Err(RemoteError::Refused(error)),
            Err(_) => Err(self.strange(&format!("it says {status}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_server() {
        let check = |url: &str, expect: Option<&str>| {
            let actual = url.parse::<ServerUrl>().ok();
            assert_eq!(actual.as_ref().map(|ServerUrl(url)| url.as_str()), expect, "{url}");
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
}
