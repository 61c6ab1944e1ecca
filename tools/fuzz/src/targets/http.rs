//! A target that sends HTTP requests to a server.
//!
//! Each request must be answered without an internal error, and a stored resource must be accepted when it is
//! written again. Requests are separated by a line `%%`. Each begins with its method and path, followed by
//! header lines, an empty line and the body.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode};
use serde_json::Value;
use std::net::SocketAddr;

use crate::test_server::{Answer, Problem, ask, with_server};

/// The headers of connections and body lengths, which routes do not see.
const HEADERS: [&str; 7] =
    ["accept", "authorization", "content-type", "host", "if-none-match", "last-event-id", "origin"];

/// The fields of a resource that its writer sets.
const KEPT: [&str; 4] = ["id", "owner", "metadata", "data"];

/// The maximum number of requests per input; more requests find no further errors.
const MOST: usize = 8;

pub(crate) fn run(bytes: &[u8]) {
    let requests: Vec<Request<Full<Bytes>>> = split(bytes).take(MOST).filter_map(request).collect();
    if !requests.is_empty() {
        with_server(|http, _| exchange(http, requests));
    }
}

async fn exchange(server: SocketAddr, requests: Vec<Request<Full<Bytes>>>) -> Result<(), Problem> {
    for request in requests {
        let (method, path) = (request.method().clone(), request.uri().clone());
        let answer = ask(server, request).await?;
        let json = check(&method, &answer)?;
        let writes = method == Method::PUT && answer.status == StatusCode::OK;
        let is_draft = path.query().unwrap_or_default().contains("dry_run");
        if let Some(stored) = json.filter(|_| writes && !is_draft && !path.path().contains("/status/")) {
            let mut copy = stored.clone();
            // Concurrent writes of controllers are ignored.
            copy.as_object_mut()
                .into_iter()
                .for_each(|fields| fields.retain(|name, _| KEPT.contains(&&**name)));
            let body = copy.to_string();
            let request = Request::put(path.clone()).header(HOST, "localhost");
            let request = request.header(CONTENT_TYPE, "application/json").body(Full::from(body))?;
            let answer = ask(server, request).await?;
            let json = check(&method, &answer)?.unwrap_or_default();
            assert_eq!(json["data"], stored["data"], "{path}: what was written is written again: {json}");
        }
    }
    Ok(())
}

/// Returns an answer as JSON.
///
/// An error response must have the documented form.
fn check(method: &Method, answer: &Answer) -> Result<Option<Value>, Problem> {
    assert_ne!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{}", String::from_utf8_lossy(&answer.body));
    let kind = answer.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if method == Method::HEAD || kind != Some(b"application/json") {
        return Ok(None);
    }
    let json: Value = serde_json::from_slice(&answer.body)?;
    if answer.status.is_client_error() {
        let words = ["code", "message"].map(|word| json["error"][word].is_string());
        assert_eq!(words, [true, true], "{json}");
    }
    Ok(Some(json))
}

fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let input = rest?;
        let end = input.windows(4).position(|window| window == b"\n%%\n");
        rest = end.map(|end| &input[end + 4..]);
        Some(&input[..end.unwrap_or(input.len())])
    })
}

/// Parses a request, or returns `None` if HTTP cannot express it.
fn request(bytes: &[u8]) -> Option<Request<Full<Bytes>>> {
    let end = bytes.windows(2).position(|window| window == b"\n\n");
    let (head, body) = (&bytes[..end.unwrap_or(bytes.len())], end.map_or(&[][..], |end| &bytes[end + 2..]));
    let mut lines = std::str::from_utf8(head).ok()?.lines();
    let (method, path) = lines.next()?.split_once(' ')?;
    let method = Method::from_bytes(method.as_bytes()).ok().filter(|method| *method != Method::CONNECT)?;
    // The request line only has a path; the host is in the header.
    let mut request = Request::builder().method(method).uri(path.starts_with('/').then_some(path)?);
    let header_lines = lines.filter_map(|line| line.split_once(": "));
    for (name, value) in header_lines.filter(|(name, _)| HEADERS.contains(name)) {
        request = request.header(HeaderName::try_from(name).ok()?, value);
    }
    if request.headers_ref().is_some_and(|headers| !headers.contains_key(HOST)) {
        request = request.header(HOST, "localhost");
    }
    request.body(Full::from(body.to_vec())).ok()
}
