//! The HTTP client.
//!
//! It blocks the calling thread.

use std::io;
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::header::{CONTENT_LENGTH, HeaderName, HeaderValue, LOCATION};
use ureq::http::{HeaderMap, Request, Response};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, AsSendBody, Body, SendBody, Timeout};

use super::proxy::ProxySettings;
use super::redirect::{Hop, OriginalRequest, REDIRECTS};
use super::trust::{self, Configs};
use super::url::is_this_machine;
use super::{HttpError, Method, Scheme, Tls, Url};

/// The proxies that requests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxies {
    /// The proxies in `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY`, except for the hosts in `NO_PROXY`.
    Environment,
    /// No proxy.
    Never,
}

/// The servers to which unencrypted requests are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainHttp {
    /// Servers on this machine: `localhost`, and loopback addresses.
    Loopback,
    /// All servers.
    Anywhere,
}

impl PlainHttp {
    #[doc(hidden)]
    pub fn check(self, url: &Url) -> Result<(), HttpError> {
        match self {
            Self::Loopback if url.scheme() == Scheme::Http && !url.is_loopback() => {
                Err(HttpError::NotEncrypted(url.to_string()))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Limits {
    /// The limit for connecting, and again for sending the request.
    #[doc(hidden)]
    pub connect: Duration,
    /// The limit for the next bytes to arrive.
    #[doc(hidden)]
    pub inactivity: Option<Duration>,
    /// The limit for the whole request, including redirects and the body.
    #[doc(hidden)]
    pub total: Option<Duration>,
}

impl Limits {
    /// Returns the limit for the response headers.
    ///
    /// It exceeds `inactivity`, so that silence is reported as inactivity.
    fn answer(&self) -> Option<Duration> {
        Some(self.inactivity? + self.connect)
    }
}

/// The state shared by all requests.
///
/// The certificates of the machine are read once.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Client {
    config: Config,
    roots: RootCerts,
}

/// The connections of one request and its redirects.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Connection {
    agent: Agent,
    limits: Limits,
    plain: PlainHttp,
    /// The only URL below which redirects may lead, if set.
    below: Option<Url>,
    /// The TLS settings of the request, if any.
    tls: Option<Configs>,
    /// The proxies of the request, if they differ from those of the client.
    proxy: Option<ProxySettings>,
    begun: Instant,
}

/// A guard that closes a [`Connection`] on drop, even if another thread waits for it.
#[derive(Debug)]
pub(crate) struct Hangup(Option<Agent>);

impl Client {
    #[doc(hidden)]
    pub fn new(proxies: Proxies) -> Self {
        let native = rustls_native_certs::load_native_certs();
        for error in &native.errors {
            tracing::warn!(%error, "a certificate of this machine cannot be read");
        }
        let roots = native.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        let roots = RootCerts::from(roots);
        let tls = trust::builder(roots.clone()).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            // Redirects are followed in this module, which checks their targets.
            .max_redirects(0)
            .user_agent(concat!("converge/", env!("CARGO_PKG_VERSION")));
        let config = match proxies {
            Proxies::Environment => config,
            Proxies::Never => config.proxy(None),
        };
        Self { config: config.build(), roots }
    }

    /// Creates the connections for one request.
    ///
    /// Its total time limit starts now.
    #[doc(hidden)]
    pub fn connection(&self, limits: Limits, policy: PlainHttp) -> Connection {
        let agent = self.config.new_agent();
        Connection {
            agent,
            limits,
            plain: policy,
            below: None,
            tls: None,
            proxy: None,
            begun: Instant::now(),
        }
    }

    /// Like [`connection`](Self::connection), with TLS settings.
    pub(crate) fn connection_with(
        &self,
        tls: &Tls,
        limits: Limits,
        plain: PlainHttp,
    ) -> Result<Connection, HttpError> {
        let tls = tls.is_some().then(|| Configs::new(tls, &self.roots)).transpose()?;
        Ok(Connection { tls, ..self.connection(limits, plain) })
    }
}

impl Drop for Hangup {
    fn drop(&mut self) {
        if let Some(agent) = self.0.take() {
            agent.shutdown();
        }
    }
}

/// A request body that can be opened for each attempt.
pub(crate) trait RequestSource {
    fn is_some(&self) -> bool;

    fn is_repeatable(&self) -> bool;

    fn length(&self) -> Option<u64>;

    fn open(&mut self) -> Box<dyn io::Read>;
}

struct Nothing;

impl RequestSource for Nothing {
    fn is_some(&self) -> bool {
        false
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn length(&self) -> Option<u64> {
        Some(0)
    }

    fn open(&mut self) -> Box<dyn io::Read> {
        Box::new(io::empty())
    }
}

impl Connection {
    pub(crate) fn hangup(&self) -> Hangup {
        Hangup(Some(self.agent.clone()))
    }

    /// Restricts redirects to URLs below this one, if given.
    #[doc(hidden)]
    pub fn below(self, folder: Option<Url>) -> Self {
        Self { below: folder, ..self }
    }

    #[cfg(feature = "local")]
    pub(crate) fn through(self, proxy: Option<ProxySettings>) -> Self {
        Self { proxy, ..self }
    }

    /// Fetches a URL and follows redirects.
    ///
    /// `headers` returns the headers for each URL.
    #[doc(hidden)]
    pub fn get(
        &self,
        url: &Url,
        headers: impl Fn(&Url) -> Vec<(String, String)>,
    ) -> Result<(Url, Response<Body>), HttpError> {
        self.ask(&Method::Get, url, |hop| headers(&hop.url), &mut Nothing)
    }

    /// Sends a request and follows redirects.
    ///
    /// `headers` returns the headers for each hop.
    pub(crate) fn ask(
        &self,
        method: &Method,
        url: &Url,
        headers: impl Fn(&Hop) -> Vec<(String, String)>,
        body: &mut dyn RequestSource,
    ) -> Result<(Url, Response<Body>), HttpError> {
        let request = OriginalRequest { url, repeatable: body.is_repeatable() };
        let mut hop = Hop { method: method.clone(), url: url.clone(), sends_body: body.is_some() };
        for _ in 0..=REDIRECTS {
            self.plain.check(&hop.url)?;
            let tls = self.tls.as_ref().map(|tls| hop.choose(url, &tls.own, &tls.elsewhere));
            let response = self.send(&hop, tls, headers(&hop), body)?;
            let status = response.status();
            tracing::debug!(method = %hop.method, url = %hop.url, %status, "asked a server");
            let location = header(response.headers(), &LOCATION);
            let Some(next) = hop.follow(request, status.as_u16(), location.as_deref())? else {
                return Ok((hop.url, response));
            };
            if self.below.as_ref().is_some_and(|folder| !next.url.is_below(folder)) {
                return Err(HttpError::RedirectOutside(next.url.to_string()));
            }
            hop = next;
        }
        Err(HttpError::TooManyRedirects(REDIRECTS))
    }

    fn send(
        &self,
        hop: &Hop,
        tls: Option<&TlsConfig>,
        headers: Vec<(String, String)>,
        body: &mut dyn RequestSource,
    ) -> Result<Response<Body>, HttpError> {
        let Hop { method, url, sends_body } = hop;
        let mut request = Request::builder().method(method.as_str()).uri(url.to_string());
        for (name, value) in headers {
            let bad = || HttpError::BadHeader(name.clone());
            let value = HeaderValue::from_str(&value).map_err(|_| bad())?;
            request = request.header(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
        }
        if *sends_body {
            // Without a known length, the body is sent in chunks.
            if let Some(length) = body.length() {
                request = request.header(CONTENT_LENGTH, length);
            }
            self.run(tls, request.body(SendBody::from_owned_reader(body.open())))
        } else if method.has_body() {
            self.run(tls, request.body(&[][..]))
        } else {
            self.run(tls, request.body(()))
        }
    }

    fn run(
        &self,
        tls: Option<&TlsConfig>,
        request: Result<Request<impl AsSendBody>, ureq::http::Error>,
    ) -> Result<Response<Body>, HttpError> {
        let left = match self.limits.total {
            Some(total) => match total.saturating_sub(self.begun.elapsed()) {
                Duration::ZERO => return Err(HttpError::Timeout(total)),
                left => Some(left),
            },
            None => None,
        };
        let request = request.map_err(|error| HttpError::Failed(error.to_string()))?;
        let is_here = request.uri().authority().is_some_and(|authority| is_this_machine(authority.as_str()));
        let proxy = match &self.proxy {
            // A proxy cannot reach services of this machine, and requests to them are not meant for it.
            _ if is_here => Some(None),
            Some(chosen) => Some(chosen.proxy_of(request.uri().scheme_str().unwrap_or_default())?),
            None => None,
        };
        let mut configured = self.agent.configure_request(request);
        if let Some(proxy) = proxy {
            configured = configured.proxy(proxy);
        }
        if let Some(tls) = tls {
            configured = configured.tls_config(tls.clone());
        }
        let request = configured
            .timeout_global(left)
            .timeout_resolve(Some(self.limits.connect))
            .timeout_connect(Some(self.limits.connect))
            // These limits also end a response whose headers arrive byte by byte.
            .timeout_send_request(Some(self.limits.connect))
            .timeout_recv_response(self.limits.answer())
            .timeout_per_read(self.limits.inactivity)
            .timeout_per_write(self.limits.inactivity)
            .build();
        self.agent.run(request).map_err(|error| self.failed(error))
    }

    /// Converts an error of a request or of reading its body.
    #[doc(hidden)]
    pub fn failed(&self, error: ureq::Error) -> HttpError {
        if let ureq::Error::Io(error) = &error
            && let Some(own_problem) = own_error(error)
        {
            return own_problem.clone();
        }
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve | Timeout::SendRequest) => {
                HttpError::ConnectTimeout(self.limits.connect)
            }
            ureq::Error::Timeout(Timeout::PerRead | Timeout::PerWrite) => {
                HttpError::Inactive(self.limits.inactivity.unwrap_or_default())
            }
            ureq::Error::Timeout(Timeout::RecvResponse) => {
                HttpError::NoAnswer(self.limits.answer().unwrap_or_default())
            }
            ureq::Error::Timeout(_) => HttpError::Timeout(self.limits.total.unwrap_or_default()),
            ureq::Error::HostNotFound => HttpError::NoSuchHost,
            ureq::Error::Rustls(error) => trust::failed(&error),
            ureq::Error::Io(error) => match (tls_error(&error), error.kind()) {
                (Some(error), _) => trust::failed(error),
                (None, io::ErrorKind::UnexpectedEof) => HttpError::Incomplete,
                (None, io::ErrorKind::ConnectionRefused) => HttpError::Refused,
                (
                    None,
                    io::ErrorKind::AddrNotAvailable
                    | io::ErrorKind::HostUnreachable
                    | io::ErrorKind::NetworkUnreachable,
                ) => HttpError::NoWay,
                (None, _) => HttpError::Failed(error.to_string()),
            },
            error => HttpError::Failed(error.to_string()),
        }
    }
}

/// Returns an error of this program that was passed through the client.
fn own_error(error: &io::Error) -> Option<&HttpError> {
    error.get_ref()?.downcast_ref()
}

/// Returns the error of the TLS handshake, if that is the cause.
fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    inner.downcast_ref().or_else(|| inner.source().and_then(|inner| inner.downcast_ref()))
}

#[doc(hidden)]
pub fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
