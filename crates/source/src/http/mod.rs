//! Fetching of modules over HTTP and HTTPS, and the cache of fetched modules.

mod cache;
mod memory_cache;
mod request;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use self::cache::{Cache, Origin};
use self::memory_cache::{Fetched, Known, MemoryCache};
use self::request::{ModuleClient, Response};
use super::error::SourceError;
use super::fetch_error::{Cached, FetchError};
use super::pin::ContentHash;
use super::read_limits::Reading;
use crate::system::http::Url;
use crate::system::http::client::Limits;

pub use crate::system::http::client::{PlainHttp, Proxies};

/// The settings for fetching modules, for [`Sources::with_http`](crate::Sources::with_http).
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
/// - At most five redirects are followed, and none from https to http. Only the statuses 200 and 304 count as
///   success.
/// - Fetched content is cached under its hash. A later load asks whether it has changed. If the server cannot
///   be reached, the load fails rather than using content that may be outdated.
/// - A URL that ends in `#sha256=HASH` is pinned: no other content is ever accepted. If the cache has that
///   content, nothing is requested.
/// - A module that is not pinned is fetched over https, or from this machine, in each step of its redirects.
///   [`plain_http`](Self::plain_http) allows more. Over plain http, anyone on the way could replace the
///   content.
/// - A URL is requested once for the life of the [`Sources`](crate::Sources) and its clones. This holds
///   as long as the fetched texts total at most 64 MiB. Beyond that, the least recently used texts are
///   dropped.
///
/// Certificates are checked against those of the machine. Fetching blocks the calling thread, inside or
/// outside of an async runtime.
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
    /// Creates settings without a cache.
    ///
    /// The timeouts are ten seconds to connect and a minute in total. Proxies are taken from the environment.
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

    /// Caches fetched modules in this folder, which is created when needed.
    ///
    /// The folder is not used if other users than root and the owner of this process could change it or a
    /// folder above it. A warning is then logged: see [`examine`](converge_system::folder_trust::examine).
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Uses only the cache, and never the network.
    pub fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// Sets from where modules that are not pinned may come without encryption.
    pub fn plain_http(mut self, policy: PlainHttp) -> Self {
        self.plain = policy;
        self
    }

    /// Sets the maximum time to establish a connection.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.limits.connect = timeout;
        self
    }

    /// Sets the maximum time to fetch one module, including redirects.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.total = Some(timeout);
        self
    }

    /// Sets the proxies.
    pub fn proxies(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }
}

/// The previous content of a URL with its origin.
type Previous = (Arc<Origin>, Arc<str>);

#[derive(Debug)]
pub(super) struct Fetcher {
    http: Http,
    /// The folder that redirects must not leave.
    below: Option<Url>,
    /// The client, created for the first request because reading the machine's certificates takes time.
    client: OnceLock<ModuleClient>,
    /// The cache, opened for the first request; `None` if it cannot be trusted.
    cache: OnceLock<Option<Cache>>,
    kept: MemoryCache,
}

impl Fetcher {
    pub(super) fn new(http: Http) -> Self {
        Self {
            http,
            below: None,
            client: OnceLock::new(),
            cache: OnceLock::new(),
            kept: MemoryCache::default(),
        }
    }

    /// Restricts redirects to URLs below this one.
    pub(super) fn below(self, folder: Url) -> Self {
        Self { below: Some(folder), ..self }
    }

    /// Returns the content of a URL from memory, or fetches it.
    pub(super) fn read(&self, url: &Url, pin: Option<ContentHash>, reading: &Reading) -> Fetched {
        let before = match self.kept.get(url, pin) {
            Known::Fetched(fetched) => {
                let text = fetched?;
                reading.check(&url.to_string(), text.len() as u64)?;
                return Ok(text);
            }
            Known::Stale(origin, text) => Some((origin, text)),
            Known::Nothing => None,
        };
        let fetched = self.fetch(url, pin, before, reading);
        let (fetched, origin) = match fetched {
            Ok((text, origin)) => (Ok(text), origin),
            Err(error) => (Err(error), None),
        };
        // An exceeded limit or a cancellation concerns one load, so it is not remembered for the URL.
        if !matches!(fetched, Err(SourceError::TooMuch { .. })) && reading.stopped().is_none() {
            self.kept.insert(url, pin, fetched.clone(), origin);
        }
        let text = fetched?;
        reading.check(&url.to_string(), text.len() as u64)?;
        Ok(text)
    }

    /// Requests cached contents again on next use; the server need not send unchanged ones.
    pub(super) fn refresh(&self) {
        self.kept.refresh();
    }

    fn cache(&self) -> Option<&Cache> {
        let find_cache = || {
            let trusted = Cache::trusted(self.http.cache.as_ref()?);
            trusted.inspect_err(|reason| tracing::warn!(%reason, "the cache of modules is not used")).ok()
        };
        self.cache.get_or_init(find_cache).as_ref()
    }

    /// Fetches a content; also returns its origin if the server can be asked whether it has changed.
    fn fetch(
        &self,
        url: &Url,
        pin: Option<ContentHash>,
        before: Option<Previous>,
        reading: &Reading,
    ) -> Result<(Arc<str>, Option<Arc<Origin>>), SourceError> {
        let cache = self.cache();
        // Content with the pinned hash is correct, whatever the server returns now.
        if let Some(content) = pin.and_then(|pin| cache?.content(pin)) {
            return Ok((content.into(), None));
        }
        if let (Some(_), Some((origin, text))) = (pin, &before) {
            return Ok((Arc::clone(text), Some(Arc::clone(origin))));
        }
        let folder_limit = self.below.as_ref();
        // Another user of the cache may have followed a redirect to elsewhere.
        let origin = cache.and_then(|cache| cache.find(url)).filter(|(known, _)| {
            let from = known.fetched_from.parse::<Url>();
            folder_limit.is_none_or(|folder| from.is_ok_and(|from| from.is_below(folder)))
        });
        let cached_entry = origin.map(|(origin, text)| (Arc::new(origin), Arc::from(text))).or(before);
        let (cached_origin, copy): (Option<Arc<Origin>>, Option<Arc<str>>) = cached_entry.unzip();
        let cached = if copy.is_some() { Cached::Copy } else { Cached::Nothing };
        let failed = |problem| SourceError::Http { url: url.to_string(), problem, cached };
        let pinned = |content: &str| match (pin, ContentHash::from_content(content.as_bytes())) {
            (Some(expected), found) if expected != found => {
                Err(failed(FetchError::PinMismatch { expected, found }))
            }
            _ => Ok(()),
        };
        // A hash verifies the content, whoever sent it. A cached copy was fetched under the same rules.
        let policy = if pin.is_some() { PlainHttp::Anywhere } else { self.http.plain };
        policy.check(url).map_err(|problem| failed(problem.into()))?;
        if self.http.offline {
            let copy = copy.ok_or_else(|| failed(FetchError::NotCached))?;
            pinned(&copy)?;
            return Ok((copy, cached_origin));
        }
        let client = self.client.get_or_init(|| ModuleClient::new(self.http.limits, self.http.proxies));
        match (
            client.get(url, policy, folder_limit, cached_origin.as_deref(), reading).map_err(failed)?,
            copy,
        ) {
            (Response::NotModified, Some(copy)) => {
                pinned(&copy)?;
                Ok((copy, cached_origin))
            }
            // The request had no validator, so this answer is invalid.
            (Response::NotModified, None) => Err(failed(FetchError::Status(304))),
            (Response::Content { bytes, origin }, _) => {
                let content = reading.text(&url.to_string(), &*bytes)?;
                pinned(&content)?;
                if let Some(Err(error)) = cache.map(|cache| cache.keep(url, origin.clone(), &content)) {
                    // The content was fetched, so a failure to cache it is not an error.
                    tracing::warn!(%url, %error, "the fetched module cannot be cached");
                }
                Ok((content.into(), Some(Arc::new(origin))))
            }
        }
    }
}
