#![expect(clippy::disallowed_methods, reason = "tests look at the files that they make")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::ProgressRecorder;
use converge_core::testing::server::{Reply, Request, Server, answer};
use converge_sdk::ProgressUpdate;
use converge_sdk::prelude::*;
use converge_sdk::system::{HttpReply, Machine, ModelSystem, Page, System, Url};

use super::FetchPreparer;
use crate::net::hash::HashType;
use crate::testing::{
    Written, apply, apply_task, context, local, obeys_the_laws, plan, plan_pending, prepare,
};

const URL: &str = "https://example.com/file";

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

fn sha256(content: &[u8]) -> String {
    let mut hasher = HashType::Sha256.hasher();
    hasher.update(content);
    hasher.finish().to_string()
}

/// Returns the fields, with a default source and destination.
fn written(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("source", URL.into()), ("destination", Value::from("/srv/file"))];
    for (name, value) in extra {
        fields.retain(|(have, _)| have != name);
        fields.push((name, value.clone()));
    }
    fields
}

fn hashed(content: &[u8]) -> [(&'static str, Value); 2] {
    [("hash_type", "sha256".into()), ("hash", sha256(content).into())]
}

/// Returns a page that was last changed at the start time of the model.
fn dated(content: &str) -> Page {
    Page { last_modified: Some("Wed, 01 Jan 2020 00:00:00 GMT".into()), ..Page::new(content) }
}

fn model() -> ModelSystem {
    ModelSystem::new().with_dir("/srv").with_page(URL, dated("content"))
}

fn with_file(content: &str) -> ModelSystem {
    model().with_file("/srv/file", content)
}

/// Makes a plan, and returns its result with the number of requests.
async fn planned(model: ModelSystem, extra: Written<'_>) -> (String, usize) {
    let model = Arc::new(model);
    let system: Arc<dyn System> = model.clone();
    let output = plan::<FetchPreparer>(&system, &written(extra)).await;
    assert_eq!(model.effects(), [], "a plan changes nothing");
    (output, model.requests().len())
}

#[tokio::test]
async fn an_encoded_body_is_decoded() {
    let encoded = |encoding: &str| {
        let (mut gzip, mut zlib) = (
            flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default()),
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default()),
        );
        gzip.write_all(b"content").unwrap();
        zlib.write_all(b"content").unwrap();
        if encoding == "deflate" { zlib.finish().unwrap() } else { gzip.finish().unwrap() }
    };
    let check = async |encoding: &'static str, body: Vec<u8>, expect: Result<&str, &str>| {
        let model = ModelSystem::new().with_dir("/srv").with_service("https://example.com/", move |_, _| {
            Some(HttpReply::new(200).with_body(body.clone()).with_header("Content-Encoding", encoding))
        });
        let model = Arc::new(model);
        let system: Arc<dyn System> = model.clone();
        let output = apply::<FetchPreparer>(&system, &written(&hashed(b"content"))).await;
        let file = model.machine().file("/srv/file").map(|file| String::from_utf8_lossy(file).into_owned());
        match expect {
            Ok(text) => assert_eq!(file.as_deref(), Some(text), "{encoding}: {output}"),
            Err(text) => assert!(output.contains(text) && file.is_none(), "{encoding}: {output}"),
        }
    };
    for encoding in ["gzip", "GZIP", "x-gzip", "deflate"] {
        check(encoding, encoded(encoding), Ok("content")).await;
    }
    check("identity", b"content".to_vec(), Ok("content")).await;
    check("br", encoded("gzip"), Err("the answer cannot be decoded: its Content-Encoding is br")).await;
    check("gzip", b"content".to_vec(), Err("the answer cannot be decoded")).await;
    let cut = encoded("gzip")[..12].to_vec();
    check("gzip", cut, Err("the answer cannot be decoded")).await;
}

#[tokio::test]
async fn what_a_plan_says() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str, requests: usize| {
        assert_eq!(planned(model, more).await, (expect.to_owned(), requests), "{more:?}");
    };
    let force = [("force", Value::from(true))];
    let absent = "will change\nstate: \"absent\" => \"present\"";
    check(model(), &[], &format!("{absent}\n# 7 bytes from {URL}"), 1).await;
    check(model(), &hashed(b"content"), &format!("{absent}\n# 7 bytes from {URL}"), 1).await;
    check(
        model(),
        &[("mode", "0644".into()), ("owner", "daemon".into())],
        &format!("{absent}\nmode: \"\" => \"0644\"\nowner: \"\" => \"daemon\"\n# 7 bytes from {URL}"),
        1,
    )
    .await;
    // An existing file stays, without a request.
    check(with_file("other"), &[], "no change", 0).await;
    check(with_file("content"), &hashed(b"content"), "no change", 0).await;
    let keep_fields = [&hashed(b"content")[..], &[("only_if_missing", true.into())]].concat();
    check(with_file("other"), &keep_fields, "no change", 0).await;
    check(with_file("x"), &[("mode", "0600".into())], "will change\nmode: \"0644\" => \"0600\"", 0).await;
    let mismatch = format!("\nsha256: {:?} => {:?}", sha256(b"other"), sha256(b"content"));
    check(
        with_file("other"),
        &hashed(b"content"),
        &format!(
            "can't change{mismatch}\nerror: /srv/file has the sha256 {}, and {} is expected; the file is kept: write `force = true` to replace it",
            sha256(b"other"),
            sha256(b"content")
        ),
        0,
    )
    .await;
    let forced = [&hashed(b"content")[..], &force].concat();
    check(with_file("other"), &forced, &format!("will change{mismatch}"), 0).await;
    // With `force` alone, the source decides.
    check(with_file("content"), &force, "no change", 1).await;
    let differs = |len: usize| format!("will change\ncontent: \"{len} bytes\" => \"as {URL} has it\"");
    let undated = || ModelSystem::new().with_url(URL, "content");
    check(undated().with_file("/srv/file", "content"), &force, "no change", 1).await;
    check(undated().with_file("/srv/file", "changed"), &force, &differs(7), 1).await;
    check(undated().with_file("/srv/file", "longer content"), &force, &differs(14), 1).await;
    check(undated().with_file("/srv/file", ""), &force, &differs(0), 1).await;
    check(
        with_file("x").with_dir("/srv/dir"),
        &[("destination", "/srv/dir".into())],
        "error: cannot read /srv/dir: is a directory",
        0,
    )
    .await;
}

#[tokio::test]
async fn sources_that_cannot_be_had() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str, pending: &str| {
        let system: Arc<dyn System> = Arc::new(model.with_flowing_time());
        let fields = written(more);
        assert_eq!(plan::<FetchPreparer>(&system, &fields).await, format!("error: {expect}"), "{more:?}");
        let expect = format!("may change\nstate: \"absent\" => \"present\"\n# {pending}");
        assert_eq!(plan_pending::<FetchPreparer>(&system, &fields).await, expect, "{more:?}");
    };
    let url = |url: &str| [("source", Value::from(url))];
    let not_found = format!("cannot fetch {URL}2: the server answers 404 Not Found");
    check(model(), &url(&format!("{URL}2")), &not_found, &format!("{not_found}, yet")).await;
    let nowhere = "cannot fetch https://nowhere/x: there is no such host";
    check(model(), &url("https://nowhere/x"), nowhere, &format!("{nowhere}, yet")).await;
    let busy = Page { status: 503, ..Page::new("busy") };
    let busy = model().with_page(URL, busy);
    let unavailable = format!("cannot fetch {URL}: the server answers 503 Service Unavailable");
    check(busy, &[], &unavailable, &format!("{unavailable}, yet")).await;
    let file = "file \"/none\" does not exist";
    check(model(), &url("/none"), file, &format!("{file}, yet")).await;

    let system: Arc<dyn System> = Arc::new(ModelSystem::new().with_url(URL, "x"));
    let fields = written(&[]);
    let missing =
        "the directory /srv does not exist: declare it with `file.directory`, and name it in `depends`";
    assert_eq!(plan::<FetchPreparer>(&system, &fields).await, format!("error: {missing}"));
    let applied = apply::<FetchPreparer>(&system, &fields).await;
    assert_eq!(applied, format!("will change\nstate: \"absent\" => \"present\"\nerror: {missing}"));
    let pending = plan_pending::<FetchPreparer>(&system, &fields).await;
    assert!(pending.contains("# the directory /srv does not exist yet"), "{pending}");
}

#[tokio::test]
async fn fields_that_do_not_fit() {
    let check = async |more: Written<'_>, expect: &str| {
        assert_eq!(planned(model(), more).await.0, format!("error: {expect}"), "{more:?}");
    };
    check(&[("hash", sha256(b"").into())], "hash: `hash_type` and `hash` must be given together").await;
    check(
        &[("hash_type", "crc".into()), ("hash", "1".into())],
        "hash_type: \"crc\" is not one of md5, sha1, sha256, sha384, sha512",
    )
    .await;
    check(
        &[("hash_type", "sha1".into()), ("hash", "12".into())],
        "hash: \"12\" is not a hash of type sha1, which has 40 hexadecimal digits",
    )
    .await;
    let headers = Value::Map([("A".to_owned(), Value::from("b"))].into_iter().collect());
    check(
        &[("source", "/x".into()), ("headers", headers)],
        "headers: they are sent to a server, and `source` is a file",
    )
    .await;
}

#[tokio::test]
async fn the_laws() {
    let force = ("force", Value::from(true));
    obeys_the_laws::<FetchPreparer>(model, &written(&[])).await;
    obeys_the_laws::<FetchPreparer>(model, &written(&hashed(b"content"))).await;
    obeys_the_laws::<FetchPreparer>(|| with_file("x"), &written(std::slice::from_ref(&force))).await;
    obeys_the_laws::<FetchPreparer>(
        || with_file("x").with_url(URL, "undated"),
        &written(&[force.clone(), ("mode", "0640".into()), ("group", "daemon".into())]),
    )
    .await;
    obeys_the_laws::<FetchPreparer>(
        || with_file("x").with_file("/from", "other"),
        &written(&[force, ("source", "file:///from".into())]),
    )
    .await;
}

#[tokio::test]
async fn what_an_apply_makes() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &dyn Fn(&Machine)| {
        let model = Arc::new(model);
        let system: Arc<dyn System> = model.clone();
        let output = apply::<FetchPreparer>(&system, &written(more)).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{output}");
        expect(&model.machine());
        assert_eq!(plan::<FetchPreparer>(&system, &written(more)).await, "no change", "{more:?}");
    };
    let mode = |machine: &Machine| machine.entry("/srv/file").unwrap().mode;
    check(model(), &[], &|machine| {
        assert_eq!((machine.file("/srv/file"), mode(machine)), (Some(&b"content"[..]), 0o600));
    })
    .await;
    let force = ("force", Value::from(true));
    check(with_file("old"), std::slice::from_ref(&force), &|machine| {
        assert_eq!((machine.file("/srv/file"), mode(machine)), (Some(&b"content"[..]), 0o644));
    })
    .await;
    check(with_file("old"), &[force, ("mode", "u=rwx".into())], &|machine| assert_eq!(mode(machine), 0o744))
        .await;
}

/// Errors do not show a secret URL, and a 404 is not retried.
#[tokio::test]
async fn nobody_is_shown_a_secret() {
    let model = Arc::new(model().with_flowing_time());
    let system: Arc<dyn System> = model.clone();
    let source = Value::from("https://example.com/hunter2").into_secret();
    let output = plan::<FetchPreparer>(&system, &written(&[("source", source)])).await;
    assert_eq!(output, "error: cannot fetch (sensitive): the server answers 404 Not Found");
    let url: Url = "https://example.com/hunter2".parse().unwrap();
    assert_eq!(model.requests().into_iter().map(|call| call.url).collect::<Vec<_>>(), [url]);
}

/// Applies on the local system into a new directory, and returns the result and the files in it.
async fn on_this_machine(url: &str, old: Option<&str>, extra: Written<'_>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let destination = folder.path().join("file");
    if let Some(old) = old {
        std::fs::write(&destination, old).unwrap();
    }
    let destination = destination.to_str().unwrap();
    let fields = [("source", Value::from(url)), ("destination", destination.into())];
    let fields = written(&[&fields[..], extra].concat());
    let mut output =
        apply::<FetchPreparer>(&local(), &fields).await.replace(url, "URL").replace(destination, "FILE");
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let content = std::fs::read_to_string(&path).unwrap();
        let _ = write!(output, "\n{}: {content}", path.strip_prefix(folder.path()).unwrap().display());
    }
    output
}

/// Returns pages, some of which fail at the first request.
fn pages() -> impl FnMut(&str, &Request) -> Reply {
    let mut is_first = true;
    move |path, _| page(path, std::mem::take(&mut is_first))
}

fn page(path: &str, is_first: bool) -> Reply {
    match path {
        "/away" => answer("302 Found", &["Location: /ok"], b""),
        "/gone" => answer("410 Gone", &[], b""),
        "/busy-first" if is_first => answer("503 Service Unavailable", &["Retry-After: 0"], b""),
        "/broken-first" if is_first => short(),
        "/ok" | "/busy-first" | "/broken-first" => answer("200 OK", &[], b"content"),
        "/endless" => Reply::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()),
        "/large" => answer("200 OK", &[], &[b'x'; 101]),
        "/stalls" => Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncont".to_vec()),
        _ => answer("404 Not Found", &[], b"no such page"),
    }
}

/// Returns a reply that is shorter than it announces.
fn short() -> Reply {
    Reply::Send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\ncont".to_vec())
}

#[tokio::test]
async fn servers_of_this_machine() {
    let check = async |path: &str, old: Option<&str>, more: Written<'_>, expect: &str, requests: usize| {
        let server = Server::new(pages());
        let output = on_this_machine(&server.url(path), old, more).await;
        let changes = if let Some(old) = old {
            format!("will change\nsha256: {:?} => {:?}", sha256(old.as_bytes()), sha256(b"content"))
        } else {
            "will change\nstate: \"absent\" => \"present\"".to_owned()
        };
        assert_eq!(output, format!("{changes}{expect}"), "{path}");
        // The server may still be handling requests that the client has given up.
        let (mut request_count, began) = (server.requests().len(), std::time::Instant::now());
        while request_count < requests && began.elapsed() < std::time::Duration::from_mins(1) {
            std::thread::yield_now();
            request_count += server.requests().len();
        }
        assert_eq!(request_count, requests, "{path}");
    };
    let forced = [&hashed(b"content")[..], &[("force", true.into())]].concat();
    check("/ok", None, &[], "\nfile: content", 1).await;
    check("/away", Some("old"), &forced, "\nfile: content", 2).await;
    check(
        "/gone",
        Some("old"),
        &forced,
        "\nerror: cannot fetch URL: the server answers 410 Gone\nfile: old",
        1,
    )
    .await;
    check("/busy-first", None, &[], "\nfile: content", 2).await;
    check("/broken-first", None, &[], "\nfile: content", 2).await;
    let mismatch =
        format!("\nerror: URL has the sha256 {}, and {} is expected", sha256(b"content"), sha256(b"other"));
    check("/ok", None, &hashed(b"other"), &mismatch, 1).await;
    // The limit holds with and without an announced length, and there is no retry.
    let limited = [("max_size", Value::from(100))];
    let too_large = "\nerror: cannot fetch URL: it has more than 100 bytes: `max_size` allows more";
    check("/endless", None, &limited, too_large, 1).await;
    check("/large", None, &limited, too_large, 1).await;
    check("/ok", None, &limited, "\nfile: content", 1).await;
    let silence = "\nerror: cannot fetch URL: nothing came for 20ms";
    check("/stalls", None, &[("inactivity_timeout", "20ms".into())], silence, 4).await;
}

#[tokio::test]
async fn a_server_that_says_when_it_changed_is_asked_for_what_is_newer() {
    let newer = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let changed = Arc::clone(&newer);
    let server = Server::new(move |_, request| {
        let is_cached =
            request.iter().any(|line| line.eq_ignore_ascii_case(&format!("if-modified-since: {DATE}")));
        if is_cached && !changed.load(std::sync::atomic::Ordering::SeqCst) {
            answer("304 Not Modified", &[], b"")
        } else {
            answer("200 OK", &[&format!("Last-Modified: {DATE}")], b"content")
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let destination = folder.path().join("file");
    let fields = written(&[
        ("source", server.url("/").into()),
        ("destination", destination.to_str().unwrap().into()),
        ("force", true.into()),
    ]);
    let plan = async || plan::<FetchPreparer>(&local(), &fields).await;
    let applied = apply::<FetchPreparer>(&local(), &fields).await;
    assert_eq!(applied, "will change\nstate: \"absent\" => \"present\"");
    assert_eq!(modified(&destination), 784_111_777);
    server.requests();
    assert_eq!(plan().await, "no change");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].iter().any(|line| line.to_lowercase().starts_with("if-modified-since:")),
        "{requests:?}"
    );
    // The file was changed by hand, so its time has no mark, and its content is compared.
    std::fs::write(&destination, "meddled").unwrap();
    assert!(plan().await.starts_with("will change\ncontent: \"7 bytes\" => "));
    assert_eq!(server.requests().len(), 1);
    apply::<FetchPreparer>(&local(), &fields).await;
    // The server has new content of another length.
    newer.store(true, std::sync::atomic::Ordering::SeqCst);
    let older = std::time::SystemTime::UNIX_EPOCH;
    std::fs::File::options().write(true).open(&destination).unwrap().set_modified(older).unwrap();
    std::fs::write(&destination, "content!").unwrap();
    assert!(plan().await.starts_with("will change\ncontent: \"8 bytes\" => "));
}

fn modified(path: &Path) -> u64 {
    let modified = std::fs::metadata(path).unwrap().modified().unwrap();
    modified.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

/// Returns the progress events of bytes during a fetch.
async fn told(system: Arc<dyn System>, fields: Written<'_>) -> Vec<(u64, Option<u64>)> {
    let recorder = ProgressRecorder::new();
    let cx = recorder.record(context(system, RunMode::Apply));
    let mut task = prepare::<FetchPreparer>(&cx, fields).await.unwrap();
    apply_task(&cx, &mut task).await;
    let bytes = |update| match update {
        ProgressUpdate::Bytes { done, total } => (done, total),
        other => panic!("{other:?}"),
    };
    recorder.take().into_iter().map(bytes).collect()
}

#[tokio::test]
async fn how_much_was_fetched_is_told() {
    let mib = 1 << 20;
    let content = vec![b'x'; 5 * mib];
    let model = Arc::new(ModelSystem::new().with_dir("/srv").with_url(URL, content.clone()));
    let told_of_url = told(model, &written(&[])).await;
    assert_eq!(told_of_url.len(), 6, "{told_of_url:?}");
    assert_eq!(told_of_url[0], (1024, Some(5 * mib as u64)));
    assert_eq!(told_of_url.last(), Some(&(5 * mib as u64, Some(5 * mib as u64))));
    // The source is a file of the machine.
    let model = Arc::new(ModelSystem::new().with_dir("/srv").with_file("/from", content.clone()));
    let told_of_file = told(model, &written(&[("source", "/from".into())])).await;
    assert_eq!(told_of_file.last(), Some(&(5 * mib as u64, Some(5 * mib as u64))));
    assert!(told_of_file.iter().is_sorted() && told_of_file.len() == 6, "{told_of_file:?}");
    // The server does not announce a length.
    let server = Server::new(move |_, _| {
        let mut bytes = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
        bytes.extend_from_slice(&content);
        Reply::Send(bytes)
    });
    let folder = tempfile::tempdir().unwrap();
    let destination = folder.path().join("file").to_str().unwrap().to_owned();
    let fields = written(&[("source", server.url("/").into()), ("destination", destination.into())]);
    let told_of_server = told(local(), &fields).await;
    let (last, before) = told_of_server.split_last().unwrap();
    assert_eq!(*last, (5 * mib as u64, Some(5 * mib as u64)), "at the end it is known");
    assert!((1..=6).contains(&before.len()) && before.iter().all(|(_, total)| total.is_none()), "{before:?}");
}

laws!(
    FetchPreparer,
    start = model,
    start = || with_file("x").with_url(URL, "undated").with_file("/from", "other"),
    values = ("source", [URL, "file:///from", "https://example.com/gone"]),
    values = ("destination", ["/srv/file", "/srv/other"]),
    values = ("hash_type", ["sha256"]),
    values = ("hash", [sha256(b"content"), sha256(b"another")]),
    values = ("force", [true, false])
);
