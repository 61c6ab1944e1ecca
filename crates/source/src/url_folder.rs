//! A source of modules below a URL.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::error::SourceError;
use super::fetch_error::FetchError;
use super::http::{Fetcher, Http};
use super::module_source::{ModuleSource, relative};
use super::pin::{self, ContentHash, SourceUrlError};
use super::read_limits::Reading;
use crate::system::http::Url;
use crate::types::value::Text;

/// A source of the modules below a URL.
///
/// The sources in a module are paths below the URL, and never lead to another server.
///
/// ```
/// use converge_core::load::{Http, ModuleSource as _, ModulesAt, SourceUrlError};
///
/// let modules = ModulesAt::new("https://example.com/tenants/blue", Http::new())?;
/// assert!(modules.resolve(Some("site/main.hcl"), "../web.hcl").is_ok());
/// assert!(modules.resolve(Some("site/main.hcl"), "../../green/web.hcl").is_err());
/// assert!(modules.resolve(None, "https://example.com/tenants/blue/web.hcl").is_err());
/// # Ok::<(), SourceUrlError>(())
/// ```
///
/// # Guarantees
///
/// - The guarantees of [`Http`] hold, except that a module is pinned [here](Self::with_pin) and not by its
///   name. A redirect to a place that is not below the URL is an error, and that place is not requested.
/// - In a name only `/` is special; `?`, `#` and `%` are ordinary characters. A name with a backslash, which
///   some servers treat as a slash, is refused.
///
/// A module is requested once and kept for later loads of this source and its clones: see
/// [`refresh`](Self::refresh).
#[derive(Clone)]
pub struct ModulesAt {
    folder: Url,
    pins: BTreeMap<Arc<str>, ContentHash>,
    fetcher: Arc<Fetcher>,
}

impl ModulesAt {
    /// Creates a source for the folder at a URL, with or without a final `/`.
    ///
    /// # Errors
    ///
    /// Fails if the URL is invalid, or has a query or a fragment.
    pub fn new(folder: &str, http: Http) -> Result<Self, SourceUrlError> {
        if let Some(end) = folder.find(['?', '#']) {
            return Err(SourceUrlError::NoFolder(folder[end..].to_owned()));
        }
        let (folder, _) = pin::parse(&format!("{}/", folder.trim_end_matches('/')))?;
        let fetcher = Arc::new(Fetcher::new(http).below(folder.clone()));
        Ok(Self { folder, pins: BTreeMap::new(), fetcher })
    }

    /// Accepts only content with this hash for a module, by its name below the URL.
    ///
    /// Other content is an error that names both hashes. Content that has the hash is not requested again.
    ///
    /// ```
    /// use converge_core::load::{ContentHash, Http, ModulesAt, SourceUrlError};
    ///
    /// let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse::<ContentHash>()?;
    /// let modules = ModulesAt::new("https://example.com/modules", Http::new())?.with_pin("site/empty.hcl", hash);
    /// # Ok::<(), SourceUrlError>(())
    /// ```
    pub fn with_pin(mut self, name: impl Into<Text>, hash: ContentHash) -> Self {
        self.pins.insert(name.into().into(), hash);
        self
    }

    /// Makes this source and its clones request each module again before its next use.
    ///
    /// A server that sent an `ETag` or a `Last-Modified` is only asked whether the module has changed.
    ///
    /// Without a refresh, a long-running service keeps seeing the first version of each module. At most 64
    /// MiB of texts are kept. Beyond that, the least recently used texts are dropped, and requested again
    /// when needed.
    pub fn refresh(&self) {
        self.fetcher.refresh();
    }
}

/// Leaves out the texts because they may contain secrets.
impl fmt::Debug for ModulesAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModulesAt({})", self.folder)
    }
}

impl ModuleSource for ModulesAt {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let url = self.folder.below(name);
        if relative(None, name).as_deref() != Some(name) || !url.is_below(&self.folder) {
            return Err(SourceError::Outside { written: name.to_owned() });
        }
        self.fetcher.read(&url, self.pins.get(name).copied(), reading)
    }

    /// Returns whether the server has the file; only 404 and 410 mean that it does not.
    fn exists(&self, name: &str, reading: &Reading) -> Result<bool, SourceError> {
        match self.read(name, reading) {
            Ok(_) | Err(SourceError::NotUtf8 { .. } | SourceError::TooLarge { .. }) => Ok(true),
            Err(SourceError::Http { problem: FetchError::Status(404 | 410), .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::types::limits::Limits;
    use converge_core::Registry;
    use converge_core::load::{
        ContentHash, Http, Loader, ModuleSource as _, ModulesAt, Proxies, Reading, Sources,
    };
    use converge_system::testing::private_folder;
    use converge_system::testing::server::{Reply, Request, Server, answer};

    fn pages(path: &str, _: &Request) -> Reply {
        match path {
            "/blue/site/main.hcl" => answer("200 OK", &[], b"module \"../web.hcl\" \"web\" {}"),
            "/blue/web.hcl" => answer("302 Found", &["Location: v2/web.hcl"], b""),
            "/blue/v2/web.hcl" => answer("200 OK", &[], b"param \"port\" { default = 80 }"),
            "/blue/50%25%3F%23.hcl" => answer("200 OK", &[], b"marks"),
            "/green/web.hcl" => answer("200 OK", &[], b"green"),
            "/blue/up" => answer("302 Found", &["Location: ../green/web.hcl"], b""),
            "/blue/beside" => answer("302 Found", &["Location: /bluebell/web.hcl"], b""),
            "/blue/hidden" => answer("302 Found", &["Location: /blue/%2E./green/web.hcl"], b""),
            "/blue/away" => answer("302 Found", &["Location: http://192.0.2.1/blue/web.hcl"], b""),
            "/blue/later" => answer("302 Found", &["Location: away"], b""),
            "/blue/drip" => Reply::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), Duration::from_secs(1)),
            "/blue/endless" => Reply::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()),
            _ => answer("404 Not Found", &[], b""),
        }
    }

    fn modules(server: &Server) -> ModulesAt {
        ModulesAt::new(&server.url("/blue"), Http::new().proxies(Proxies::Never)).unwrap()
    }

    /// Returns the text of a source, or the code and message of the error.
    fn text(modules: &ModulesAt, base: Option<&str>, reference: &str) -> String {
        let name = modules.resolve(base, reference);
        let text = name.and_then(|name| modules.read(&name, &Reading::default()));
        text.map_or_else(|error| format!("{}: {error}", error.code()), |text| text.to_string())
    }

    #[test]
    fn a_module_names_others_below_the_url() {
        let server = Server::new(pages);
        let registry = Registry::new();
        let loader = Loader::new(&registry).with_sources(Sources::only(modules(&server)));
        let graph = loader.load("site/main.hcl").into_graph().unwrap();
        assert!(graph.find("root/module.web/param.port").is_some());
        let lines = ["/blue/site/main.hcl", "/blue/web.hcl", "/blue/v2/web.hcl"];
        assert_eq!(server.request_lines(), lines.map(|path| format!("GET {path} HTTP/1.1")));
        assert_eq!(text(&modules(&server), None, "50%?#.hcl"), "marks");
    }

    /// The server receives no request for any of these names.
    #[test]
    fn names_that_lead_elsewhere() {
        let server = Server::new(pages);
        let modules = modules(&server);
        let own_url = server.url("/blue/web.hcl");
        for reference in [
            "../../green/web.hcl",
            "/green/web.hcl",
            "//192.0.2.1/web.hcl",
            "http://192.0.2.1/web.hcl",
            "file:///etc/passwd",
            &own_url,
            "..\\..\\green\\web.hcl",
        ] {
            let expect =
                |name: &str| format!("outside-source: `{name}` is outside of what may be loaded here");
            let actual = text(&modules, Some("site/main.hcl"), reference);
            assert!(
                actual == expect(reference) || actual == expect(&format!("site/{reference}")),
                "{actual}"
            );
        }
        for name in ["../green/web.hcl", "a/../../green", "/etc", "./a", ""] {
            assert_eq!(
                modules.read(name, &Reading::default()).unwrap_err().code(),
                "outside-source",
                "{name}"
            );
        }
        assert_eq!(server.request_lines(), [""; 0]);
        // A name that looks like an escape is requested literally.
        assert!(text(&modules, None, "%2e%2e/green/web.hcl").starts_with("http-status: "));
        assert_eq!(server.request_lines(), ["GET /blue/%252e%252e/green/web.hcl HTTP/1.1"]);
    }

    #[test]
    fn redirects_stay_below_the_url() {
        let server = Server::new(pages);
        let modules = modules(&server);
        let check = |name: &str, to: &str, asked: &[&str]| {
            let url = server.url(&format!("/blue/{name}"));
            let expect = format!(
                "cannot fetch {url}: it redirects to {to}, which is outside of what may be loaded here"
            );
            assert_eq!(text(&modules, None, name), format!("bad-redirect: {expect}"));
            let lines: Vec<String> = asked.iter().map(|name| format!("GET /blue/{name} HTTP/1.1")).collect();
            assert_eq!(server.request_lines(), lines);
        };
        check("up", &server.url("/green/web.hcl"), &["up"]);
        check("beside", &server.url("/bluebell/web.hcl"), &["beside"]);
        check("hidden", &server.url("/blue/%2E./green/web.hcl"), &["hidden"]);
        check("away", "http://192.0.2.1/blue/web.hcl", &["away"]);
        check("later", "http://192.0.2.1/blue/web.hcl", &["later", "away"]);
    }

    /// Another loader with this cache may have followed a redirect to elsewhere, and cached the result.
    #[test]
    fn a_shared_cache_leads_nowhere_else() {
        let server = Server::new(pages);
        let executable = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap();
        let http = || Http::new().proxies(Proxies::Never).cache(folder.path());
        let open = Sources::new().with_http(http());
        let source = open.resolve(None, &server.url("/blue/up")).unwrap();
        assert_eq!(&*open.read(&source).unwrap(), "green");
        let modules_at = |http: Http| ModulesAt::new(&server.url("/blue"), http).unwrap();
        assert!(text(&modules_at(http().offline()), None, "up").starts_with("not-cached: "));
        assert!(text(&modules_at(http()), None, "web.hcl").starts_with("param"));
        assert!(text(&modules_at(http().offline()), None, "web.hcl").starts_with("param"));
    }

    /// The server can tell whether a name exists, but cannot list names.
    #[test]
    fn only_names_are_asked_for() {
        let server = Server::new(pages);
        let modules = modules(&server);
        let exists = |name: &str| {
            let result = modules.exists(name, &Reading::default());
            result.map_or_else(|error| error.code().to_owned(), |is_there| is_there.to_string())
        };
        assert_eq!(exists("web.hcl"), "true");
        assert_eq!(exists("none"), "false");
        assert_eq!(exists("up"), "bad-redirect");
        assert_eq!(exists("../green/web.hcl"), "outside-source");
        assert_eq!(server.requests().len(), 4);
        let listed = modules.list(Some("site/main.hcl"), "../conf.d", &Reading::default()).unwrap_err();
        assert_eq!(
            listed.to_string(),
            "cannot list the files at conf.d: its source reads files by name only"
        );
        assert!(server.requests().is_empty(), "nobody can be asked");
    }

    #[test]
    fn limits_and_deadlines_are_kept() {
        let server = Server::new(pages);
        let registry = Registry::new();
        let loader = || Loader::new(&registry).with_sources(Sources::only(modules(&server)));
        let began = Instant::now();
        let error = loader().with_deadline(Duration::from_millis(300)).load("drip").into_graph().unwrap_err();
        assert_eq!(error.diagnostics[0].code, "load-deadline");
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        let limits = Limits { bytes: 1000, ..Limits::default() };
        let error = loader().with_limits(limits).load("endless").into_graph().unwrap_err();
        assert_eq!(error.diagnostics[0].code, "too-much-text");
    }

    #[test]
    fn what_is_no_folder() {
        let message = |url: &str| ModulesAt::new(url, Http::new()).unwrap_err().to_string();
        assert_eq!(message("https://h/a?b"), "it ends in `?b`, so it is not a folder");
        assert_eq!(message("https://h/a#b"), "it ends in `#b`, so it is not a folder");
        assert_eq!(message("ftp://h/a"), "it begins neither with http:// nor with https://");
        assert_eq!(message("https://me@h/a"), "it holds a user name or a password");
    }

    /// Starts a server whose module changes after each answered request, with an `ETag`.
    fn changing(texts: [&'static str; 3]) -> Server {
        let mut answered = 0;
        Server::new(move |_, request| {
            let text = texts[answered.min(2)];
            let tag = format!("\"{text}\"");
            answered += 1;
            match known(request) {
                Some(request_tag) if request_tag == tag => answer("304 Not Modified", &[], b""),
                _ => answer("200 OK", &[&format!("ETag: {tag}")], text.as_bytes()),
            }
        })
    }

    /// Returns the version in a conditional request.
    fn known(request: &Request) -> Option<&str> {
        let mut headers = request.iter().filter_map(|line| line.split_once(": "));
        headers.find_map(|(name, value)| name.eq_ignore_ascii_case("if-none-match").then_some(value))
    }

    #[test]
    fn a_refresh_asks_what_has_changed() {
        let server = changing(["one", "one", "two"]);
        let (modules, read) = (modules(&server), |modules: &ModulesAt| text(modules, None, "web.hcl"));
        assert_eq!((read(&modules), read(&modules.clone())), ("one".to_owned(), "one".to_owned()));
        assert_eq!(server.requests().len(), 1);
        modules.clone().refresh();
        assert_eq!((read(&modules), read(&modules)), ("one".to_owned(), "one".to_owned()));
        let requests = server.requests();
        assert_eq!(requests.len(), 1, "asked once, and told that it is the same");
        assert_eq!(known(&requests[0]), Some("\"one\""));
        modules.refresh();
        assert_eq!(read(&modules), "two");
    }

    #[test]
    fn what_is_pinned_is_that_or_refused() {
        let server = changing(["one", "two", "two"]);
        let hash = ContentHash::from_content(b"one");
        let modules = modules(&server).with_pin("web.hcl", hash);
        assert_eq!(text(&modules, None, "web.hcl"), "one");
        // Content with the pinned hash is not requested.
        modules.refresh();
        assert_eq!(text(&modules, None, "web.hcl"), "one");
        assert_eq!(server.requests().len(), 1);
        let new = self::modules(&server).with_pin("web.hcl", hash);
        let actual = text(&new, None, "web.hcl");
        let url = server.url("/blue/web.hcl");
        assert!(actual.starts_with(&format!("pin-mismatch: cannot fetch {url}: ")), "{actual}");
        for hash in [hash, ContentHash::from_content(b"two")] {
            assert!(actual.contains(&hash.to_string()), "{actual}");
        }
        assert_eq!(text(&new, None, "other.hcl"), "two", "it has no pin");
    }
}
