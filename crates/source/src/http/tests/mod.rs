//! Tests of requests to a local server, the cache, and pins.
#![expect(clippy::disallowed_methods, reason = "tests look into the cache that they make")]

mod urls;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::super::{SourceError, Sources};
use super::{ContentHash, Http, PlainHttp, Proxies};
use converge_system::testing::private_folder;
use converge_system::testing::server::{Reply, Request, Server, answer};

fn http() -> Http {
    Http::new().proxies(Proxies::Never)
}

/// Creates a folder that no other user can write to, unlike the system's temporary folder.
fn private() -> TempDir {
    let executable = std::env::current_exe().unwrap();
    tempfile::tempdir_in(private_folder(executable.parent().unwrap()).unwrap()).unwrap()
}

fn cached(folder: &TempDir) -> Http {
    http().cache(folder.path())
}

/// Returns the text that a load of this URL reads, or the code, message and help of the error.
fn load(http: &Http, url: &str) -> String {
    let sources = Sources::new().with_http(http.clone());
    let read = sources.resolve(None, url).and_then(|source| sources.read(&source));
    read.map_or_else(|error| told(&error), |text| text.to_string())
}

fn told(error: &SourceError) -> String {
    let help = error.help().map(|help| format!(" | {help}")).unwrap_or_default();
    format!("{}: {error}{help}", error.code())
}

fn pages(path: &str, _: &Request) -> Reply {
    match path {
        "/ok" => answer("200 OK", &[], b"text"),
        "/chunked" => Reply::Send(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nte\r\n2\r\nxt\r\n0\r\n\r\n"
                .to_vec(),
        ),
        "/a/far" => answer("302 Found", &["Location: ../b/near?x=1"], b""),
        "/b/near?x=1" => answer("308 Permanent Redirect", &["Location: /ok"], b""),
        "/loop" => answer("302 Found", &["Location: /loop"], b""),
        "/to-file" => answer("302 Found", &["Location: file:///etc/passwd"], b""),
        "/to-nowhere" => answer("302 Found", &[], b""),
        "/empty" => answer("204 No Content", &[], b""),
        "/304" => answer("304 Not Modified", &[], b""),
        "/gone" => answer("410 Gone", &[], b""),
        "/latin1" => answer("200 OK", &[], b"caf\xe9"),
        "/large" => answer("200 OK", &[], &vec![b' '; 16 * 1024 * 1024 + 1]),
        "/just-fits" => answer("200 OK", &[], &vec![b'x'; 16 * 1024 * 1024]),
        "/short" => Reply::Send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntext".to_vec()),
        "/silent" => Reply::Stall(Vec::new()),
        "/slow" => Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ntext".to_vec()),
        "/packed" => answer("200 OK", &["Content-Encoding: gzip"], b"\x1f\x8b"),
        "/noise" => Reply::Send(b"what is this?\r\n\r\n".to_vec()),
        _ => answer("404 Not Found", &[], b"no such page"),
    }
}

#[test]
fn what_servers_say() {
    let server = Server::new(pages);
    let http = http().timeout(Duration::from_secs(30));
    let check = |path: &str, expect: &str| {
        let expect = expect.replace("<URL>", &server.url(path));
        assert_eq!(load(&http, &server.url(path)), expect, "{path}");
    };
    check("/ok", "text");
    check("/chunked", "text");
    check("/a/far", "text");
    check("/none", "http-status: cannot fetch <URL>: the server answers 404 Not Found");
    check("/gone", "http-status: cannot fetch <URL>: the server answers 410 Gone");
    check("/empty", "http-status: cannot fetch <URL>: the server answers 204 No Content");
    check("/304", "http-status: cannot fetch <URL>: the server answers 304 Not Modified");
    check(
        "/loop",
        "bad-redirect: cannot fetch <URL>: it redirects more than 5 times | write the final URL of the redirects",
    );
    check(
        "/to-file",
        "bad-redirect: cannot fetch <URL>: it redirects to \"file:///etc/passwd\", which cannot be fetched",
    );
    check("/to-nowhere", "bad-redirect: cannot fetch <URL>: it redirects to \"\", which cannot be fetched");
    check("/latin1", "not-utf8: <URL> is not UTF-8: byte 3 begins no character | save the file as UTF-8");
    check(
        "/large",
        "file-too-large: <URL> has more than 16777216 bytes, which is too much to be loaded | split it into several files",
    );
    assert_eq!(load(&http, &server.url("/just-fits")).len(), 16 * 1024 * 1024);
    check("/short", "http-failed: cannot fetch <URL>: the connection ended before the answer did");
    check("/packed", "http-failed: cannot fetch <URL>: the answer is encoded as \"gzip\"");
    let noise = load(&http, &server.url("/noise"));
    assert!(noise.starts_with("http-failed: cannot fetch "), "{noise}");
}

#[test]
fn nobody_is_waited_for_longer_than_asked() {
    let server = Server::new(pages);
    let http = http().timeout(Duration::from_millis(80));
    for path in ["/silent", "/slow"] {
        let url = server.url(path);
        let expect = format!("http-timeout: cannot fetch {url}: there was no complete answer within 80ms");
        assert_eq!(load(&http, &url), expect);
    }
}

/// Each byte arrives in time, but the response never ends.
#[test]
fn a_server_that_never_ends_is_ended() {
    let server = Server::new(|path, _| match path {
        "/drip" => Reply::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), Duration::from_millis(2)),
        _ => Reply::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()),
    });
    let url = server.url("/drip");
    let expect = format!("http-timeout: cannot fetch {url}: there was no complete answer within 200ms");
    assert_eq!(load(&http().timeout(Duration::from_millis(200)), &url), expect);
    let endless = load(&http(), &server.url("/endless"));
    assert!(endless.starts_with("file-too-large: "), "{endless}");
}

/// A load with a deadline does not wait for a slow response, and does not remember it.
///
/// The server sends a byte per second without end. The load is cancelled once the server was asked, however
/// long that takes on a busy machine.
#[test]
fn a_load_does_not_wait_for_a_slow_server() {
    let (request_count, token) = (AtomicUsize::new(0), CancellationToken::new());
    let cancel = token.clone();
    let server = Server::new(move |_, _| {
        cancel.cancel();
        match request_count.fetch_add(1, Ordering::Relaxed) {
            0 => Reply::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), Duration::from_secs(1)),
            _ => answer("200 OK", &[], b"param \"a\" { default = 1 }"),
        }
    });
    let registry = converge_core::Registry::new();
    let http = converge_core::load::Http::new().proxies(converge_core::load::Proxies::Never);
    let sources = converge_core::load::Sources::new().with_http(http);
    let load = || converge_core::load::Loader::new(&registry).with_sources(sources.clone());
    let error = load().cancel_on(token).load(&server.url("/drip")).into_graph().unwrap_err();
    assert_eq!(error.diagnostics[0].code, "load-cancelled");
    assert!(error.to_string().ends_with("/drip was not read to its end"), "{error}");
    assert!(load().load(&server.url("/drip")).into_graph().is_ok());
}

/// The address belongs to no one, and no request is sent to it.
#[test]
fn what_anybody_could_write_is_not_loaded() {
    let server = Server::new(|path, _| match path {
        "/away" => answer("302 Found", &["Location: http://192.0.2.1/x.hcl"], b""),
        _ => answer("200 OK", &[], b"text"),
    });
    let help = "http allows others to change this module on its way: use https, pin it with #sha256= and its hash, \
                or allow it with `--allow-plain-http`";
    let check = |http: &Http, url: &str| {
        let expect =
            format!("plain-http: cannot fetch {url}: http://192.0.2.1/x.hcl is not encrypted | {help}");
        assert_eq!(load(http, url), expect);
    };
    check(&http(), "http://192.0.2.1/x.hcl");
    check(&http().offline(), "http://192.0.2.1/x.hcl");
    check(&http(), &server.url("/away"));
    // The local machine may be asked without encryption, and with a hash any server may.
    let localhost = server.url("/ok").replace("127.0.0.1", "localhost");
    assert_eq!(load(&http(), &localhost), "text");
    let impatient = http().connect_timeout(Duration::from_millis(50)).timeout(Duration::from_millis(50));
    let pinned = format!("http://192.0.2.1/x.hcl#sha256={}", ContentHash::from_content(b"text"));
    for (http, url) in [
        (&impatient, &*pinned),
        (&impatient.clone().plain_http(PlainHttp::Anywhere), "http://192.0.2.1/x.hcl"),
    ] {
        let message = load(http, url);
        assert!(!message.starts_with("plain-http"), "{message}");
    }
}

#[test]
fn servers_that_cannot_be_reached() {
    // The socket reserves a port at which no one listens.
    let unused = tokio::net::TcpSocket::new_v4().unwrap();
    unused.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = unused.local_addr().unwrap();
    let message = load(&http(), &format!("http://{address}/x.hcl"));
    assert!(message.starts_with(&format!("http-failed: cannot fetch http://{address}/x.hcl: ")), "{message}");
    assert!(message.contains("refused"), "{message}");
}

#[test]
fn certificates_are_checked() {
    let server = Server::encrypted(&identity(), pages);
    let url = format!("https://{}/x.hcl", server.address());
    let message = load(&http(), &url);
    assert!(
        message.starts_with(&format!("untrusted-server: cannot fetch {url}: the server cannot be trusted: ")),
        "{message}"
    );
    assert!(message.contains("UnknownIssuer") && message.contains("SSL_CERT_FILE"), "{message}");
}

#[test]
fn a_url_is_requested_once() {
    let server = Server::new(pages);
    let sources = Sources::new().with_http(http());
    for path in ["/ok", "/ok", "/x/../ok", "/none", "/none"] {
        let source = sources.resolve(None, &server.url(path)).unwrap();
        assert_eq!(sources.clone().read(&source).is_ok(), path != "/none");
    }
    assert_eq!(server.request_lines(), ["GET /ok HTTP/1.1", "GET /none HTTP/1.1"]);
}

#[test]
fn a_runtime_around_it_is_no_matter() {
    let server = Server::new(pages);
    for runtime in [
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
        tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap(),
    ] {
        assert_eq!(runtime.block_on(async { load(&http(), &server.url("/ok")) }), "text");
    }
}

/// Serves a versioned content, and answers conditional requests.
fn versioned(path: &str, request: &Request) -> Reply {
    let version = "Etag: \"v1\"";
    let is_cached = request.iter().any(|line| line.eq_ignore_ascii_case("if-none-match: \"v1\""));
    match path {
        "/moved" => answer("302 Found", &["Location: /site.hcl"], b""),
        "/site.hcl" if is_cached => answer("304 Not Modified", &[version], b""),
        "/site.hcl" => answer("200 OK", &[version, "Last-Modified: Sat, 21 Nov 2026 08:00:00 GMT"], b"text"),
        _ => answer("500 Internal Server Error", &[], b""),
    }
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let server = Server::new(versioned);
    let folder = private();
    for path in ["/site.hcl", "/moved"] {
        assert_eq!(load(&cached(&folder), &server.url(path)), "text");
        server.requests();
        assert_eq!(load(&cached(&folder), &server.url(path)), "text");
        let last = server.requests().pop().unwrap();
        assert_eq!(last[0], "GET /site.hcl HTTP/1.1");
        assert!(last.iter().any(|line| line.eq_ignore_ascii_case("if-none-match: \"v1\"")), "{last:?}");
        let header = "if-modified-since: sat, 21 nov 2026 08:00:00 gmt";
        assert!(last.iter().any(|line| line.to_lowercase() == header), "{last:?}");
    }
}

#[test]
fn offline_there_is_only_the_cache() {
    let server = Server::new(versioned);
    let folder = private();
    let url = server.url("/site.hcl");
    let missing = format!(
        "not-cached: cannot fetch {url}: it is not in the cache, and the network is not used | load it once without `--offline`"
    );
    assert_eq!(load(&cached(&folder).offline(), &url), missing);
    assert_eq!(load(&http().offline(), &url), missing);
    assert_eq!(load(&cached(&folder), &url), "text");
    server.requests();
    assert_eq!(load(&cached(&folder).offline(), &url), "text");
    assert_eq!(server.request_lines(), [""; 0]);
}

#[test]
fn what_may_be_old_is_not_used_silently() {
    let folder = private();
    let broken = std::sync::atomic::AtomicBool::new(false);
    let server = Server::new(move |_, _| {
        if broken.fetch_or(true, std::sync::atomic::Ordering::Relaxed) {
            answer("503 Service Unavailable", &[], b"")
        } else {
            answer("200 OK", &[], b"text")
        }
    });
    let url = server.url("/site.hcl");
    assert_eq!(load(&cached(&folder), &url), "text");
    assert_eq!(
        load(&cached(&folder), &url),
        format!(
            "http-status: cannot fetch {url}: the server answers 503 Service Unavailable | `--offline` loads the copy of an earlier run"
        )
    );
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    file.clone()
}

#[test]
fn the_cache_is_by_content_and_believes_nothing() {
    let server = Server::new(versioned);
    let folder = private();
    let url = server.url("/site.hcl");
    load(&cached(&folder), &url);
    load(&cached(&folder), &server.url("/moved"));
    let blob = only_file(&folder.path().join("modules/blobs"));
    assert_eq!(blob.file_name().unwrap().to_str().unwrap(), ContentHash::from_content(b"text").to_string());
    assert_eq!(std::fs::read_dir(folder.path().join("modules/index")).unwrap().count(), 2);
    // A modified blob is removed and fetched again.
    std::fs::write(&blob, "evil").unwrap();
    assert!(load(&cached(&folder).offline(), &url).starts_with("not-cached: "));
    assert!(!blob.exists());
    assert_eq!(load(&cached(&folder), &url), "text");
    assert!(blob.exists());
    // An index entry that cannot be parsed is ignored.
    for entry in std::fs::read_dir(folder.path().join("modules/index")).unwrap() {
        std::fs::write(entry.unwrap().path(), "{").unwrap();
    }
    assert_eq!(load(&cached(&folder), &url), "text");
    // Loading works even if nothing can be cached.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(load(&http().cache(&file), &url), "text");
}

/// A cache that other users can change is neither read nor written.
///
/// These users may have placed links there.
#[test]
fn a_cache_that_others_can_change_is_not_used() {
    let server = Server::new(versioned);
    let url = server.url("/site.hcl");
    let check = |change: &dyn Fn(&Path)| {
        let folder = private();
        let cache = folder.path().join("above/cache");
        let http = || http().cache(&cache);
        std::fs::create_dir_all(&cache).unwrap();
        assert_eq!(load(&http(), &url), "text");
        let blob = only_file(&cache.join("modules/blobs"));
        assert_eq!(load(&http().offline(), &url), "text");
        change(folder.path());
        assert!(load(&http().offline(), &url).starts_with("not-cached: "));
        std::fs::remove_file(&blob).unwrap();
        assert_eq!(load(&http(), &url), "text");
        assert!(!blob.exists(), "something was kept");
    };
    let open = |path: &Path| std::fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
    for path in [
        "above",
        "above/cache",
        "above/cache/modules",
        "above/cache/modules/blobs",
        "above/cache/modules/index",
    ] {
        check(&|folder| open(&folder.join(path)));
        if rustix::process::geteuid().is_root() {
            check(&|folder| std::os::unix::fs::chown(folder.join(path), Some(65534), None).unwrap());
        }
    }
}

#[test]
fn pins() {
    let server = Server::new(versioned);
    let folder = private();
    let (right, other_hash) = (ContentHash::from_content(b"text"), ContentHash::from_content(b"other"));
    let url = server.url("/site.hcl");
    let pinned = |hash: ContentHash| format!("{url}#sha256={hash}");
    let mismatch = format!(
        "pin-mismatch: cannot fetch {url}: its sha256 is {right}, and it is pinned to {other_hash} | if the change is wanted, pin it to #sha256={right}"
    );
    // Content that does not match the pin is not cached.
    assert_eq!(load(&cached(&folder), &pinned(other_hash)), mismatch);
    assert!(!folder.path().join("modules").exists());
    assert_eq!(load(&cached(&folder), &pinned(right)), "text");
    assert_eq!(server.request_lines().len(), 2);
    // Cached content with the pinned hash needs no server.
    assert_eq!(load(&cached(&folder), &pinned(right)), "text");
    assert_eq!(server.request_lines(), [""; 0]);
    assert_eq!(load(&cached(&folder).offline(), &pinned(right)), "text");
    assert_eq!(load(&cached(&folder).offline(), &pinned(other_hash)), mismatch);
    // This holds even if the server answers that nothing has changed.
    assert_eq!(load(&cached(&folder), &pinned(other_hash)), mismatch);
    assert!(server.requests()[0].iter().any(|line| line.to_lowercase().starts_with("if-none-match")));
}

/// A key and a self-signed certificate for `localhost` (PEM, in one text).
fn identity() -> String {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    made.signing_key.serialize_pem() + &made.cert.pem()
}
