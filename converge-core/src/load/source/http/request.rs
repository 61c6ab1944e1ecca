//! One request, with the redirects that it leads to.

use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::http::header::{CONTENT_ENCODING, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION};
use ureq::http::{HeaderMap, HeaderName, Response, StatusCode};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, Timeout};

use super::super::SOURCE_LIMIT;
use super::cache::{Entry, Origin};
use super::error::HttpError;
use super::url::{Scheme, Url};

/// The most redirects that are followed.
const REDIRECTS: u32 = 5;

/// How long to wait, and whom to ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) connect_timeout: Duration,
    pub(super) timeout: Duration,
    pub(super) proxies: Proxies,
}

/// Which proxies are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxies {
    /// Those of `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY`, but not for the hosts in `NO_PROXY`.
    Environment,
    /// None.
    Never,
}

/// What the server has.
pub(super) enum Answer {
    /// What it had before.
    NotModified,
    /// At most one byte more than the limit of sources.
    Content { bytes: Vec<u8>, origin: Origin },
}

/// Sends requests. The certificates of the machine are read once.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    options: Options,
}

impl Client {
    pub(super) fn new(options: Options) -> Self {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(%error, "a certificate of this machine cannot be read");
        }
        let roots = found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::from(roots))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            // They are followed here, where it can be seen where they lead.
            .max_redirects(0)
            .timeout_connect(Some(options.connect_timeout))
            .user_agent(concat!("converge/", env!("CARGO_PKG_VERSION")));
        let config = match options.proxies {
            Proxies::Environment => config,
            Proxies::Never => config.proxy(None),
        };
        Self { agent: config.build().new_agent(), options }
    }

    /// Asks for a URL; when `known` is given, for something else than that.
    pub(super) fn get(&self, url: &Url, known: Option<&Entry>) -> Result<Answer, HttpError> {
        let deadline = Instant::now() + self.options.timeout;
        let mut at = url.clone();
        for _ in 0..=REDIRECTS {
            let response = self.send(&at, known, deadline)?;
            let status = response.status();
            tracing::debug!(url = %at, %status, "asked for a module");
            match status {
                StatusCode::OK => return self.content(response, at),
                StatusCode::NOT_MODIFIED => return Ok(Answer::NotModified),
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => {
                    let to = header(response.headers(), &LOCATION).unwrap_or_default();
                    let next = Some(&*to).filter(|to| !to.is_empty()).and_then(|to| at.redirect(to));
                    let next = next.ok_or(HttpError::BadRedirect(to))?;
                    if at.scheme() == Scheme::Https && next.scheme() == Scheme::Http {
                        return Err(HttpError::InsecureRedirect(next.to_string()));
                    }
                    at = next;
                }
                status => return Err(HttpError::Status(status.as_u16())),
            }
        }
        Err(HttpError::TooManyRedirects(REDIRECTS))
    }

    fn send(&self, url: &Url, known: Option<&Entry>, deadline: Instant) -> Result<Response<Body>, HttpError> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(HttpError::Timeout(self.options.timeout));
        }
        let url = url.to_string();
        let mut request = self.agent.get(&url);
        // What is known is only known of the place that it came from.
        if let Some(known) = known.filter(|known| known.fetched_from == url) {
            let conditions = [(IF_NONE_MATCH, &known.etag), (IF_MODIFIED_SINCE, &known.last_modified)];
            for (name, value) in conditions {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
        }
        request.config().timeout_global(Some(left)).build().call().map_err(|error| self.failed(error))
    }

    fn content(&self, mut response: Response<Body>, from: Url) -> Result<Answer, HttpError> {
        let headers = response.headers();
        if let Some(encoding) = header(headers, &CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
            return Err(HttpError::Encoded(encoding));
        }
        let origin =
            Origin { from, etag: header(headers, &ETAG), last_modified: header(headers, &LAST_MODIFIED) };
        let mut bytes = Vec::new();
        let mut body = response.body_mut().as_reader().take(SOURCE_LIMIT + 1);
        body.read_to_end(&mut bytes).map_err(|error| self.failed(error.into()))?;
        Ok(Answer::Content { bytes, origin })
    }

    fn failed(&self, error: ureq::Error) -> HttpError {
        match error {
            ureq::Error::Timeout(Timeout::Connect) => HttpError::Timeout(self.options.connect_timeout),
            ureq::Error::Timeout(_) => HttpError::Timeout(self.options.timeout),
            ureq::Error::HostNotFound => HttpError::Failed("there is no such host".to_owned()),
            ureq::Error::Rustls(error) => HttpError::Untrusted(error.to_string()),
            ureq::Error::Io(error) => match tls_error(&error) {
                Some(error) => HttpError::Untrusted(error.to_string()),
                None if error.kind() == io::ErrorKind::UnexpectedEof => {
                    HttpError::Failed("the connection ended before the answer did".to_owned())
                }
                None => HttpError::Failed(error.to_string()),
            },
            error => HttpError::Failed(error.to_string()),
        }
    }
}

/// The error of the handshake, when that is what went wrong.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    inner.downcast_ref().or_else(|| inner.source().and_then(|inner| inner.downcast_ref()))
}

fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
