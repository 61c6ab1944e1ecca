//! Downloads: requests, response bodies, and retries.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use converge_sdk::prelude::*;
use converge_sdk::system::{HttpError, HttpRequest, HttpResponse, LeastRate, ReadAt, Url};
use converge_sdk::value::REDACTED;

use super::access::Access;
use super::content_encoding;
use super::source::Source;
use crate::text::Text;

/// The number of retries after a transient failure.
const RETRIES: u32 = 3;

/// The pause before the first retry; each further pause is twice as long.
const BACKOFF: Duration = Duration::from_secs(1);

/// The longest pause that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The default time that a server may be silent.
pub(crate) const INACTIVITY: Duration = Duration::from_secs(30);

const PROGRESS: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("cannot {act} {shown}: {problem}{}", help(problem))]
    Http { act: &'static str, shown: String, problem: HttpError },
    #[error("cannot fetch {shown}: the server answers {status}{}", phrase(*.status))]
    Status { shown: String, status: u16, retry_after: Option<Duration> },
    #[error("cannot fetch {shown}: it has more than {limit} bytes: `max_size` allows more")]
    TooLarge { shown: String, limit: u64 },
}

impl From<FetchError> for Error {
    fn from(error: FetchError) -> Self {
        Self::other(error)
    }
}

impl FetchError {
    /// Returns an error of a request; `act` is the purpose: to fetch a source, or to ask a server.
    pub(crate) fn http(act: &'static str, source: &Source, problem: HttpError) -> Self {
        let problem = match problem {
            HttpError::InsecureRedirect(_) if source.is_secret() => {
                HttpError::InsecureRedirect(REDACTED.to_owned())
            }
            HttpError::BadRedirect(_) if source.is_secret() => HttpError::BadRedirect(REDACTED.to_owned()),
            HttpError::BodyElsewhere(_) if source.is_secret() => {
                HttpError::BodyElsewhere(REDACTED.to_owned())
            }
            problem => problem,
        };
        Self::Http { act, shown: source.shown().to_owned(), problem }
    }

    fn is_transient(&self) -> bool {
        match self {
            Self::Http { problem, .. } => problem.is_transient(),
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500 | 502..=504),
            Self::TooLarge { .. } => false,
        }
    }

    /// Returns the pause before the next attempt, after `made` retries.
    fn pause(&self, attempts: u32) -> Duration {
        let delay = match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Http { .. } | Self::TooLarge { .. } => None,
        };
        delay.unwrap_or(BACKOFF * 2_u32.pow(attempts)).min(LONGEST_WAIT)
    }
}

/// Returns advice about a problem, if there is any.
fn help(problem: &HttpError) -> &'static str {
    match problem {
        HttpError::Untrusted(_) => {
            "; name the authority that signed its certificate with `ca`, or add it to those of this machine"
        }
        HttpError::TooManyRedirects(_) | HttpError::InsecureRedirect(_) => {
            "; write the final URL of the redirects"
        }
        _ => "",
    }
}

/// Returns the reason phrase of common status codes, from the standard.
pub(super) fn phrase(status: u16) -> &'static str {
    match status {
        400 => " Bad Request",
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        407 => " Proxy Authentication Required",
        408 => " Request Timeout",
        410 => " Gone",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    }
}

#[derive(Debug)]
pub(crate) struct RequestOptions {
    pub(crate) headers: Vec<(String, Text)>,
    pub(crate) inactivity: Option<Duration>,
    pub(crate) least_rate: LeastRate,
    /// The maximum number of bytes to receive.
    pub(crate) max_size: u64,
    pub(crate) access: Access,
}

impl RequestOptions {
    /// Makes one request. The response has the status 200, or 304 if `unless_since` is given.
    pub(crate) async fn once(
        &self,
        cx: &Context,
        source: &Source,
        url: &Url,
        unless_since: Option<String>,
    ) -> Result<HttpResponse> {
        let mut request = HttpRequest::new(url.clone());
        request.inactivity_timeout = self.inactivity.unwrap_or(INACTIVITY);
        request.least_rate = self.least_rate;
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), &**value);
        }
        let conditional = unless_since.is_some();
        if let Some(time) = unless_since {
            request = request.header("If-Modified-Since", time);
        }
        let request = self.access.apply_to(cx, request).await?;
        let response = cx.system().network().request(request).await;
        let response = response.and_then(content_encoding::decoded);
        let response = response.map_err(|problem| FetchError::http("fetch", source, problem))?;
        match response.status {
            200 => Ok(response),
            304 if conditional => Ok(response),
            status => {
                let seconds = response.header("retry-after").and_then(|value| value.trim().parse().ok());
                let retry_after = seconds.map(Duration::from_secs);
                Err(FetchError::Status { shown: source.shown().to_owned(), status, retry_after }.into())
            }
        }
    }
}

/// A counter of received bytes with a limit, independent of the announced length.
pub(crate) struct Meter<'a> {
    source: &'a Source,
    limit: u64,
    taken: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(source: &'a Source, options: &RequestOptions) -> Self {
        Self { source, limit: options.max_size, taken: 0 }
    }

    /// Adds bytes, and returns an error if the limit is exceeded.
    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), FetchError> {
        self.taken = self.taken.saturating_add(bytes);
        self.check(self.taken)
    }

    /// Returns an error if this number of bytes exceeds the limit.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), FetchError> {
        if bytes <= self.limit {
            return Ok(());
        }
        Err(FetchError::TooLarge { shown: self.source.shown().to_owned(), limit: self.limit })
    }
}

/// Repeats an attempt until it succeeds, fails permanently, or has no retries left.
pub(crate) async fn with_retries<T, F>(cx: &Context, mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    // In a plan, a pending change may start a server that does not answer, so the plan does not wait for it.
    let maximum = if cx.pending().is_empty() { RETRIES } else { 0 };
    let mut attempts = 0;
    loop {
        let pause = match attempt().await {
            Ok(value) => return Ok(value),
            Err(failure) => match &failure {
                Error::Other(other) => match other.downcast_ref::<FetchError>() {
                    Some(error) if error.is_transient() && attempts < maximum => {
                        let pause = error.pause(attempts);
                        tracing::warn!(%error, again_in = ?pause, "trying again");
                        pause
                    }
                    _ => return Err(failure),
                },
                _ => return Err(failure),
            },
        };
        attempts += 1;
        let sleep = cx.system().clock().sleep(pause);
        cx.cancellation().run_until_cancelled(sleep).await.ok_or(Error::Cancelled)?;
    }
}

/// A reader of a response body that sends progress events.
pub(crate) struct BodyReader<'a> {
    cx: &'a Context,
    source: &'a Source,
    response: HttpResponse,
    received: u64,
    told: SystemTime,
}

impl<'a> BodyReader<'a> {
    pub(crate) fn new(cx: &'a Context, source: &'a Source, response: HttpResponse) -> Self {
        Self { cx, source, response, received: 0, told: cx.system().clock().now() }
    }

    /// Returns the next bytes, or `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        self.cx.check_cancelled()?;
        // If data is always available, nothing else in this loop would yield to other tasks.
        tokio::task::yield_now().await;
        let chunk = self.response.body.chunk().await;
        let chunk = chunk.map_err(|problem| FetchError::http("fetch", self.source, problem))?;
        self.received += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        // At the end the total is known, whatever length the server announced.
        let total = if chunk.is_some() { self.response.content_length() } else { Some(self.received) };
        self.cx.progress().bytes(self.received, total);
        let now = self.cx.system().clock().now();
        if now.duration_since(self.told).is_ok_and(|passed| passed >= PROGRESS) {
            self.told = now;
            tracing::info!(source = self.source.shown(), received = self.received, total, "fetching");
        }
        Ok(chunk)
    }
}

/// Receives a source into an unnamed file.
pub(crate) async fn receive(
    cx: &Context,
    options: &RequestOptions,
    source: &Source,
    url: &Url,
) -> Result<Arc<dyn ReadAt>> {
    let response = options.once(cx, source, url, None).await?;
    let mut scratch = cx.system().files().scratch().await?;
    let mut meter = Meter::new(source, options);
    meter.check(response.content_length().unwrap_or_default())?;
    let mut body = BodyReader::new(cx, source, response);
    while let Some(chunk) = body.chunk().await? {
        meter.add(chunk.len() as u64)?;
        scratch.write(&chunk).await?;
    }
    Ok(Arc::from(scratch.read().await?))
}

/// Turns a failure into a message of a plan, if a pending change may fix it.
pub(crate) fn not_yet<T>(cx: &Context, status: &mut Status, result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) if cx.pending().is_empty() => Err(error),
        Err(error) => {
            status.add_message(format!("{error}, yet"));
            status.raise_level(StatusLevel::MayChange);
            Ok(None)
        }
    }
}
