//! Tests of request methods and bodies, with a server on this machine.

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;

use crate::testing::server::{Reply, Request, Server, answer};
use crate::{
    HttpBody, HttpError, HttpRequest, HttpResponse, LocalSystem, Method, ReadAt, RequestBody, System,
    WriteFile,
};

async fn ask(request: HttpRequest) -> Result<HttpResponse, HttpError> {
    LocalSystem::new().network().request(request).await
}

fn request(method: Method, url: &str) -> HttpRequest {
    HttpRequest::new(url.parse().expect("a URL")).method(method)
}

fn pages(path: &str, request: &Request) -> Reply {
    let to = |status: &str| answer(status, &["Location: /there"], b"");
    match path {
        "/301" => to("301 Moved Permanently"),
        "/303" => to("303 See Other"),
        "/307" => to("307 Temporary Redirect"),
        "/silent" => Reply::Stall(Vec::new()),
        "/slow" => Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ntext".to_vec()),
        "/drip" => Reply::Drip(
            b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec(),
            Duration::from_millis(2),
        ),
        _ => answer("200 OK", &[], request.last().map_or("", |body| body).as_bytes()),
    }
}

/// Returns the requests that the server received: first line, encoding of the body, and body.
fn got(server: &Server) -> Vec<String> {
    let format_request = |request: Request| {
        let framing = request.iter().filter(|line| {
            let line = line.to_ascii_lowercase();
            line.starts_with("content-length") || line.starts_with("transfer-encoding")
        });
        let framing: Vec<&str> = framing.map(String::as_str).collect();
        let body = request.iter().skip_while(|line| !line.is_empty()).nth(1).map_or("", |body| body);
        let line = request.first().map_or("", |line| line.trim_end_matches(" HTTP/1.1"));
        format!(
            "{line} [{}] {}",
            framing.join(", ").to_ascii_lowercase(),
            if body.len() > 40 { "long" } else { body }
        )
    };
    server.requests().into_iter().map(format_request).collect()
}

/// A body of pieces that ends normally or with an error.
struct Pieces(VecDeque<Result<Vec<u8>, HttpError>>);

fn pieces(pieces: &[&str]) -> Box<dyn HttpBody> {
    Box::new(Pieces(pieces.iter().map(|piece| Ok(piece.as_bytes().to_vec())).collect()))
}

#[async_trait]
impl HttpBody for Pieces {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        self.0.pop_front().transpose()
    }
}

/// A body that never returns anything.
struct Stuck;

#[async_trait]
impl HttpBody for Stuck {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        std::future::pending().await
    }
}

async fn file(folder: &tempfile::TempDir, content: &[u8]) -> Box<dyn ReadAt> {
    let (files, path) = (LocalSystem::new(), folder.path().join("file"));
    files.files().write(&path, WriteFile::new(content)).await.expect("it is written");
    files.files().open(&path).await.expect("it can be opened").expect("it is there")
}

#[tokio::test]
async fn methods_and_bodies() {
    let server = Server::new(pages);
    let folder = tempfile::tempdir().expect("a folder");
    let check = async |method: &str, path: &str, body: RequestBody, expect: &[&str]| {
        let message = request(method.parse().expect("a method"), &server.url(path)).body(body);
        let answered = ask(message).await.map(|response| response.status);
        assert_eq!(answered, Ok(200), "{method} {path}");
        assert_eq!(got(&server), expect, "{method} {path}");
    };
    let stream = |length| RequestBody::Stream { body: pieces(&["one ", "", "two"]), length };
    for method in ["GET", "HEAD", "DELETE", "OPTIONS", "PURGE"] {
        check(method, "/a", RequestBody::Empty, &[&format!("{method} /a [] ")]).await;
    }
    for method in ["POST", "PUT", "PATCH"] {
        check(method, "/a", RequestBody::Empty, &[&format!("{method} /a [content-length: 0] ")]).await;
    }
    for method in ["POST", "PUT", "PATCH", "GET", "DELETE", "PROPFIND"] {
        check(method, "/a", "text".into(), &[&format!("{method} /a [content-length: 4] text")]).await;
    }
    check("PUT", "/a", stream(Some(7)), &["PUT /a [content-length: 7] one two"]).await;
    check("PUT", "/a", stream(None), &["PUT /a [transfer-encoding: chunked] one two"]).await;
    let large = vec![b'x'; 1_000_000];
    check("PUT", "/a", file(&folder, &large).await.into(), &["PUT /a [content-length: 1000000] long"]).await;
    check("PUT", "/a", file(&folder, b"").await.into(), &["PUT /a [content-length: 0] "]).await;
}

#[tokio::test]
async fn redirects_repeat_what_can_be_repeated() {
    let server = Server::new(pages);
    let folder = tempfile::tempdir().expect("a folder");
    let check = async |method: &str, path: &str, body: RequestBody, expect: &[&str]| {
        let message = request(method.parse().expect("a method"), &server.url(path));
        let message = message.header("Content-Type", "text/plain").header("X-Key", "k").body(body);
        assert_eq!(ask(message).await.map(|response| response.status), Ok(200), "{method} {path}");
        assert_eq!(got(&server), expect, "{method} {path}");
    };
    let long = vec![b'y'; 300_000];
    check("POST", "/301", "text".into(), &["POST /301 [content-length: 4] text", "GET /there [] "]).await;
    check("PUT", "/303", "text".into(), &["PUT /303 [content-length: 4] text", "GET /there [] "]).await;
    let twice = ["PUT /301 [content-length: 4] text", "PUT /there [content-length: 4] text"];
    check("PUT", "/301", "text".into(), &twice).await;
    let twice = ["POST /307 [content-length: 300000] long", "POST /there [content-length: 300000] long"];
    check("POST", "/307", file(&folder, &long).await.into(), &twice).await;
    check("DELETE", "/307", RequestBody::Empty, &["DELETE /307 [] ", "DELETE /there [] "]).await;
    // A streamed body cannot be sent again.
    let stream_request = request(Method::Post, &server.url("/307")).stream(pieces(&["text"]), None);
    assert_eq!(ask(stream_request).await.err(), Some(HttpError::BodyIsGone(server.url("/there"))));
    assert_eq!(got(&server), ["POST /307 [transfer-encoding: chunked] text"]);
}

/// Another server gets neither headers nor body, as both may contain a password.
#[tokio::test]
async fn another_server_gets_nothing() {
    let other_server = Server::new(pages);
    let location = format!("Location: {}", other_server.url("/there"));
    let server = Server::new(move |path, _| {
        let status = if path == "/303" { "303 See Other" } else { "308 Permanent Redirect" };
        answer(status, &[&location], b"")
    });
    let message = |path: &str| request(Method::Post, &server.url(path)).header("X-Key", "k").body("password");
    assert_eq!(ask(message("/308")).await.err(), Some(HttpError::BodyElsewhere(other_server.url("/there"))));
    assert_eq!(other_server.requests().len(), 0);
    assert_eq!(ask(message("/303")).await.map(|response| response.status), Ok(200));
    let lines = other_server.requests().concat();
    assert!(lines.iter().all(|line| !line.contains('k') || !line.to_ascii_lowercase().starts_with("x-key")));
    assert_eq!(lines.first().map(String::as_str), Some("GET /there HTTP/1.1"));
}

#[tokio::test]
async fn bodies_that_are_not_what_they_are_said_to_be() {
    let server = Server::new(pages);
    let sent =
        async |body, length| ask(request(Method::Put, &server.url("/a")).stream(body, length)).await.err();
    let body_error = |why: &str| Some(HttpError::Body(why.to_owned()));
    assert_eq!(sent(pieces(&["text"]), Some(5)).await, body_error("it ends after 4 of 5 bytes"));
    assert_eq!(sent(pieces(&["text"]), Some(3)).await, body_error("it has more than 3 bytes"));
    let fails = Box::new(Pieces([Ok(b"text".to_vec()), Err(HttpError::Incomplete)].into()));
    assert_eq!(sent(fails, None).await, body_error("the connection ended before the answer did"));
    for name in ["Content-Length", "transfer-encoding"] {
        let refused = ask(request(Method::Put, &server.url("/a")).header(name, "1")).await;
        assert_eq!(refused.err(), Some(HttpError::OwnHeader(name.to_owned())));
    }
}

/// Without the deadline, each of these requests would hang forever.
#[tokio::test]
async fn a_deadline_ends_all_of_it() {
    let server = Server::new(pages);
    let deadline = Duration::from_millis(100);
    let hour = Duration::from_hours(1);
    let patient = |path: &str| {
        let message = request(Method::Get, &server.url(path)).deadline(deadline);
        HttpRequest { inactivity_timeout: hour, ..message }
    };
    for path in ["/silent", "/slow", "/drip"] {
        // On a busy machine the deadline may pass before the response head arrives.
        let failed = match ask(patient(path)).await {
            Ok(answered) => answered.bytes(u64::MAX).await.err(),
            Err(error) => Some(error),
        };
        assert_eq!(failed, Some(HttpError::Timeout(deadline)), "{path}");
    }
    let stuck =
        HttpRequest { body: RequestBody::Stream { body: Box::new(Stuck), length: None }, ..patient("/a") };
    assert_eq!(ask(stuck).await.err(), Some(HttpError::Timeout(deadline)));
}

/// The runtime waits for its threads when it ends.
///
/// This test hangs if a thread keeps waiting for a body.
#[test]
fn a_body_that_nobody_sends_any_more_ends() {
    let server = Server::new(pages);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let stuck = request(Method::Put, &server.url("/a")).stream(Box::new(Stuck), Some(1));
        let waits = tokio::time::timeout(Duration::from_millis(50), ask(stuck)).await;
        assert!(waits.is_err(), "there is nothing to send");
    });
}

#[tokio::test]
async fn what_is_read_of_an_answer() {
    let server = Server::new(pages);
    let answered =
        async || ask(request(Method::Post, &server.url("/a")).body("text")).await.expect("an answer");
    assert_eq!(answered().await.bytes(4).await, Ok(b"text".to_vec()));
    assert_eq!(answered().await.bytes(3).await, Err(HttpError::TooLarge(3)));
    let status = |status| HttpResponse { status, ..empty() };
    assert_eq!(status(204).success().map(|response| response.status), Ok(204));
    assert_eq!(status(404).success().err(), Some(HttpError::Status(404)));
    assert!(HttpError::Status(503).is_transient() && !HttpError::Status(404).is_transient());
}

fn empty() -> HttpResponse {
    let url = "http://a.test/".parse().expect("a URL");
    HttpResponse { status: 200, url, headers: Vec::new(), body: pieces(&[]) }
}
