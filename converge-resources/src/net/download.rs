//! Makes requests, reads responses, and decides which failures are worth another attempt.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use converge_core::prelude::*;
use converge_core::system::{HttpError, HttpRequest, HttpResponse, LeastRate, ReadAt, Url};
use converge_core::value::REDACTED;

use super::access::Access;
use super::source::Source;
use crate::text::Text;

/// How often a request is made again after a failure that may pass.
const RETRIES: u32 = 3;

/// Before the first of these; each is twice as long as the one before.
const BACKOFF: Duration = Duration::from_secs(1);

/// The longest that a server may ask us to wait.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// How long a server may be silent, where a module says nothing.
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
    /// What goes wrong when somebody wants to `act`: to fetch a source, or to ask a server.
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

    /// How long to wait after it, when so many requests were made again before.
    fn pause(&self, made: u32) -> Duration {
        let asked = match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Http { .. } | Self::TooLarge { .. } => None,
        };
        asked.unwrap_or(BACKOFF * 2_u32.pow(made)).min(LONGEST_WAIT)
    }
}

/// What to do about it, where that is not plain.
fn help(problem: &HttpError) -> &'static str {
    match problem {
        HttpError::Untrusted(_) => {
            "; name the authority that signed its certificate with `ca`, or add it to those of this machine"
        }
        HttpError::TooManyRedirects(_) | HttpError::InsecureRedirect(_) => {
            "; write the URL that it leads to in the end"
        }
        _ => "",
    }
}

/// The reasons that people meet, in the words of the standard.
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
    /// The most bytes that are taken.
    pub(crate) max_size: u64,
    pub(crate) access: Access,
}

impl RequestOptions {
    /// Makes one request. The answer has the status 200, or 304 when `unless_since` is given.
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
        let request = self.access.give(cx, request).await?;
        let response = cx.system().network().request(request).await;
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

/// How much was taken of a source, whatever it says that it has.
pub(crate) struct Meter<'a> {
    source: &'a Source,
    limit: u64,
    taken: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(source: &'a Source, options: &RequestOptions) -> Self {
        Self { source, limit: options.max_size, taken: 0 }
    }

    /// So many bytes more; an error when that is too much.
    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), FetchError> {
        self.taken = self.taken.saturating_add(bytes);
        self.check(self.taken)
    }

    /// An error when so many bytes are too much.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), FetchError> {
        if bytes <= self.limit {
            return Ok(());
        }
        Err(FetchError::TooLarge { shown: self.source.shown().to_owned(), limit: self.limit })
    }
}

/// Makes attempts until one succeeds, or fails so that another makes no sense, or there have been enough.
pub(crate) async fn with_retries<T, F>(cx: &Context, mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    // In a plan, what does not answer may be started by something that comes first: nobody waits for it.
    let most = if cx.pending().is_empty() { RETRIES } else { 0 };
    let mut made = 0;
    loop {
        let pause = match attempt().await {
            Ok(done) => return Ok(done),
            Err(failure) => match &failure {
                Error::Other(other) => match other.downcast_ref::<FetchError>() {
                    Some(error) if error.is_transient() && made < most => {
                        let pause = error.pause(made);
                        tracing::warn!(%error, again_in = ?pause, "trying again");
                        pause
                    }
                    _ => return Err(failure),
                },
                _ => return Err(failure),
            },
        };
        made += 1;
        let sleep = cx.system().clock().sleep(pause);
        cx.cancellation().run_until_cancelled(sleep).await.ok_or(Error::Cancelled)?;
    }
}

/// Reads the body of a response, and tells the progress.
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

    /// The next bytes; `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        self.cx.check_cancelled()?;
        // Where the next bytes are always there already, nothing would wait before the end.
        tokio::task::yield_now().await;
        let chunk = self.response.body.chunk().await;
        let chunk = chunk.map_err(|problem| FetchError::http("fetch", self.source, problem))?;
        self.received += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        // At the end it is known what there was, whatever the server said.
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

/// Receives a source into a file without a name.
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

/// What cannot be had, and which a pending change may bring, is no error in a plan.
pub(crate) fn not_yet<T>(cx: &Context, status: &mut Status, found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) if cx.pending().is_empty() => Err(error),
        Err(error) => {
            status.add_message(format!("{error}, yet"));
            status.raise_level(StatusLevel::MayChange);
            Ok(None)
        }
    }
}
