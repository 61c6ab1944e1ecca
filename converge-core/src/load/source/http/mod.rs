//! Modules that are fetched with http and https, and the cache that keeps them.

mod cache;
mod memory_cache;
mod request;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use self::cache::{Cache, Origin};
use self::memory_cache::{Fetched, Kept, Known};
use self::request::{ModuleClient, Response};
use super::error::SourceError;
use super::fetch_error::{Cached, FetchError};
use super::pin::ContentHash;
use super::read_limits::Reading;
use crate::system::http::Url;
use crate::system::http::client::Limits;

pub use crate::system::http::client::{PlainHttp, Proxies};

/// How modules are fetched with http and https: for [`Sources::with_http`](crate::load::Sources::with_http).
///
/// ```
/// use std::time::Duration;
/// use converge_core::load::{Http, Sources};
///
/// let http = Http::new().cache("/var/cache/site").timeout(Duration::from_secs(10));
/// let sources = Sources::new().with_http(http);
/// let source = sources.resolve(None, "https://example.com/site.hcl")?;
/// let web = sources.resolve(Some(&source), "modules/web.hcl")?;
/// assert_eq!(web.to_string(), "https://example.com/modules/web.hcl");
/// # Ok::<(), converge_core::load::SourceError>(())
/// ```
///
/// # Guarantees
///
/// - At most five redirects are followed, and none from https to http. Only the statuses 200 and 304 count.
/// - What was fetched is kept under its hash. A later load asks whether it has changed; when the server cannot be
///   reached the load fails, rather than using what may be old.
/// - A URL that ends in `#sha256=HASH` is pinned: no other content is ever accepted. When the cache has that
///   content, nothing is requested.
/// - A module that is not pinned is fetched with https, or from this machine, in each step of its redirects, unless
///   [`plain_http`](Self::plain_http) allows more: whoever is in between could otherwise write it.
/// - A URL is requested once for the life of the [`Sources`](crate::load::Sources) and its clones, as long as all that they have fetched
///   is no more than 64 MiB: of more, what was used longest ago is forgotten.
///
/// Certificates are checked against those of the machine. The calling thread waits, with or without a runtime
/// around it.
#[derive(Clone, Debug)]
pub struct Http {
    limits: Limits,
    proxies: Proxies,
    cache: Option<PathBuf>,
    offline: bool,
    plain: PlainHttp,
}

impl Default for Http {
    fn default() -> Self {
        Self::new()
    }
}

impl Http {
    /// Ten seconds to connect, a minute in all, proxies as the environment says, and no cache.
    pub fn new() -> Self {
        let (connect, total) = (Duration::from_secs(10), Some(Duration::from_mins(1)));
        let limits = Limits { connect, inactivity: None, total };
        Self {
            limits,
            proxies: Proxies::Environment,
            cache: None,
            offline: false,
            plain: PlainHttp::Loopback,
        }
    }

    /// Keeps what is fetched in this folder, which is made when there is something to keep. A folder that others than root and the
    /// user of this process could change, or one above it, is not used, and the log says so: see
    /// [`examine`](crate::state::examine).
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Uses only the cache, and never the network.
    pub fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// From where modules that are not pinned may come without encryption.
    pub fn plain_http(mut self, plain: PlainHttp) -> Self {
        self.plain = plain;
        self
    }

    /// How long a connection may take to be made.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.limits.connect = timeout;
        self
    }

    /// How long one module may take, with all redirects.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.total = Some(timeout);
        self
    }

    /// Which proxies are asked.
    pub fn proxies(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }
}

/// What a URL had, and from where.
type Before = (Arc<Origin>, Arc<str>);

#[derive(Debug)]
pub(super) struct Fetcher {
    http: Http,
    /// Nothing comes from elsewhere.
    below: Option<Url>,
    /// Made for the first request, as reading the certificates of the machine takes a while.
    client: OnceLock<ModuleClient>,
    /// Looked at for the first request too. `None` where it cannot be trusted.
    cache: OnceLock<Option<Cache>>,
    kept: Kept,
}

impl Fetcher {
    pub(super) fn new(http: Http) -> Self {
        Self { http, below: None, client: OnceLock::new(), cache: OnceLock::new(), kept: Kept::default() }
    }

    /// The same, with redirects only to what is below this URL.
    pub(super) fn below(self, folder: Url) -> Self {
        Self { below: Some(folder), ..self }
    }

    /// The content of a URL, which was either fetched before or is now.
    pub(super) fn read(&self, url: &Url, pin: Option<ContentHash>, reading: &Reading) -> Fetched {
        let before = match self.kept.get(url, pin) {
            Known::Fetched(fetched) => {
                let text = fetched?;
                reading.check(&url.to_string(), text.len() as u64)?;
                return Ok(text);
            }
            Known::Before(origin, text) => Some((origin, text)),
            Known::Nothing => None,
        };
        let fetched = self.fetch(url, pin, before, reading);
        let (fetched, origin) = match fetched {
            Ok((text, origin)) => (Ok(text), origin),
            Err(error) => (Err(error), None),
        };
        // What one load has no room for is no property of the URL.
        if !matches!(fetched, Err(SourceError::TooMuch { .. })) && reading.stopped().is_none() {
            self.kept.insert(url, pin, fetched.clone(), origin);
        }
        let text = fetched?;
        reading.check(&url.to_string(), text.len() as u64)?;
        Ok(text)
    }

    /// From now on asks again for what was fetched before; a server that says that it has not changed need not send it.
    pub(super) fn refresh(&self) {
        self.kept.refresh();
    }

    fn cache(&self) -> Option<&Cache> {
        let look = || {
            let trusted = Cache::trusted(self.http.cache.as_ref()?);
            trusted.inspect_err(|reason| tracing::warn!(%reason, "the cache of modules is not used")).ok()
        };
        self.cache.get_or_init(look).as_ref()
    }

    /// A content, and where it came from, when that can be asked whether it has changed.
    fn fetch(
        &self,
        url: &Url,
        pin: Option<ContentHash>,
        before: Option<Before>,
        reading: &Reading,
    ) -> Result<(Arc<str>, Option<Arc<Origin>>), SourceError> {
        let cache = self.cache();
        // What has the right hash is right, whatever the server says today.
        if let Some(content) = pin.and_then(|pin| cache?.content(pin)) {
            return Ok((content.into(), None));
        }
        if let (Some(_), Some((origin, text))) = (pin, &before) {
            return Ok((Arc::clone(text), Some(Arc::clone(origin))));
        }
        let below = self.below.as_ref();
        // Who shares the cache may have followed a redirect to elsewhere.
        let known = cache.and_then(|cache| cache.find(url)).filter(|(known, _)| {
            let from = known.fetched_from.parse::<Url>();
            below.is_none_or(|folder| from.is_ok_and(|from| from.is_below(folder)))
        });
        let known = known.map(|(origin, text)| (Arc::new(origin), Arc::from(text))).or(before);
        let (known, copy): (Option<Arc<Origin>>, Option<Arc<str>>) = known.unzip();
        let cached = if copy.is_some() { Cached::Copy } else { Cached::Nothing };
        let failed = |problem| SourceError::Http { url: url.to_string(), problem, cached };
        let pinned = |content: &str| match (pin, ContentHash::of(content.as_bytes())) {
            (Some(expected), found) if expected != found => {
                Err(failed(FetchError::PinMismatch { expected, found }))
            }
            _ => Ok(()),
        };
        // A hash proves what came, whoever sent it. An old copy was fetched in the same way.
        let plain = if pin.is_some() { PlainHttp::Anywhere } else { self.http.plain };
        plain.check(url).map_err(|problem| failed(problem.into()))?;
        if self.http.offline {
            let copy = copy.ok_or_else(|| failed(FetchError::NotCached))?;
            pinned(&copy)?;
            return Ok((copy, known));
        }
        let client = self.client.get_or_init(|| ModuleClient::new(self.http.limits, self.http.proxies));
        match (client.get(url, plain, below, known.as_deref(), reading).map_err(failed)?, copy) {
            (Response::NotModified, Some(copy)) => {
                pinned(&copy)?;
                Ok((copy, known))
            }
            // Nothing was said of a copy.
            (Response::NotModified, None) => Err(failed(FetchError::Status(304))),
            (Response::Content { bytes, origin }, _) => {
                let content = reading.text(&url.to_string(), &*bytes)?;
                pinned(&content)?;
                if let Some(Err(error)) = cache.map(|cache| cache.keep(url, origin.clone(), &content)) {
                    // The content is here all the same.
                    tracing::warn!(%url, %error, "what was fetched cannot be kept in the cache");
                }
                Ok((content.into(), Some(Arc::new(origin))))
            }
        }
    }
}
