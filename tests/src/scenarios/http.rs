//! Scenarios of HTTP with a real server and an equal one in the model.

use std::time::Duration;

use converge_core::system::{
    Address, HttpError, HttpReply, HttpRequest, ModelSystem, RequestBody, SystemErrorKind,
};
use converge_core::testing::server::{Reply, Request, Server, answer};

use super::transcript::Place;

const QUIET: Duration = Duration::from_millis(150);

/// The paths with their status, headers and body.
///
/// `ECHO` in a body stands for the request.
const PAGES: [(&str, u16, &[&str], &str); 10] = [
    ("/plain", 200, &["X-Name: value"], "hello"),
    ("/echo", 200, &[], "ECHO"),
    ("/empty", 204, &[], ""),
    ("/denied", 403, &[], "no"),
    ("/moved", 301, &["Location: /echo"], ""),
    ("/see", 303, &["Location: /echo"], ""),
    ("/again", 307, &["Location: /echo"], ""),
    ("/loop", 302, &["Location: /loop"], ""),
    ("/nowhere", 302, &[], ""),
    ("/ftp", 308, &["Location: ftp://a.test/"], ""),
];

/// Formats a request for an answer.
fn echo(method: &str, body: &str, key: Option<&str>) -> String {
    format!("{method} {body} {}", key.unwrap_or("-"))
}

pub(super) fn server() -> Server {
    Server::new(|path, request: &Request| {
        if let Some((_, status, headers, body)) = PAGES.iter().find(|(at, ..)| *at == path) {
            let method = request.first().and_then(|line| line.split(' ').next()).unwrap_or_default();
            let sent = request.iter().skip_while(|line| !line.is_empty()).nth(1).map_or("", |body| body);
            let key = request.iter().find_map(|line| {
                line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("x-key"))
            });
            let body = body.replace("ECHO", &echo(method, sent, key.map(|(_, value)| value)));
            let body = if method == "HEAD" { "" } else { &body };
            return answer(&format!("{status} Status"), headers, body.as_bytes());
        }
        let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntext".to_vec();
        match path {
            "/cut" => Reply::Send(head),
            "/stalls" => Reply::Stall(head),
            "/silent" => Reply::Stall(Vec::new()),
            _ => answer("404 Not Found", &[], b"none"),
        }
    })
}

pub(super) fn model(model: ModelSystem, server: &str) -> ModelSystem {
    let base = server.to_owned();
    model.with_service(server, move |asked, _| {
        let url = asked.url.to_string();
        let path = url.strip_prefix(&base).unwrap_or_default();
        if let Some((_, status, headers, body)) = PAGES.iter().find(|(at, ..)| *at == path) {
            let sent = String::from_utf8_lossy(&asked.body);
            let body = body.replace("ECHO", &echo(asked.method.as_str(), &sent, asked.header("x-key")));
            let reply = HttpReply::new(*status).with_body(body);
            return Some(
                headers
                    .iter()
                    .filter_map(|header| header.split_once(": "))
                    .fold(reply, |reply, (name, value)| reply.with_header(name, value)),
            );
        }
        let partial_reply = HttpReply::new(200).with_header("Content-Length", "9").with_body("text");
        Some(match path {
            "/cut" => partial_reply.cut_after(4),
            "/stalls" => partial_reply.silent_after(4),
            "/silent" => HttpReply::silent(),
            _ => HttpReply::new(404).with_body("none"),
        })
    })
}

/// Sends a request and returns its status, final URL and body.
async fn asked(place: &Place<'_>, request: HttpRequest) -> String {
    let reply = async {
        let response = place.system.network().request(request).await?;
        let (status, url) = (response.status, response.url.to_string());
        let name = response.header("x-name").unwrap_or("-").to_owned();
        let body = response.bytes(1000).await?;
        Ok(format!("{status} {url} {name} {}", String::from_utf8_lossy(&body)))
    };
    let text = reply.await.unwrap_or_else(|error: HttpError| error.to_string());
    text.replace(&place.server, "")
}

pub(super) async fn tell(place: &mut Place<'_>) {
    let rows: [(&str, &str, &str, &'static str); 19] = [
        ("GET", "/plain", "", "200 /plain value hello"),
        ("HEAD", "/plain", "", "200 /plain value "),
        ("GET", "/empty", "", "204 /empty - "),
        ("GET", "/denied", "", "403 /denied - no"),
        ("GET", "/none", "", "404 /none - none"),
        ("GET", "/echo", "", "200 /echo - GET  key"),
        ("POST", "/echo", "", "200 /echo - POST  key"),
        ("PUT", "/echo", "text", "200 /echo - PUT text key"),
        ("DELETE", "/echo", "text", "200 /echo - DELETE text key"),
        ("PURGE", "/echo", "", "200 /echo - PURGE  key"),
        ("POST", "/moved", "text", "200 /echo - GET  key"),
        ("PUT", "/moved", "text", "200 /echo - PUT text key"),
        ("PATCH", "/see", "text", "200 /echo - GET  key"),
        ("POST", "/again", "text", "200 /echo - POST text key"),
        ("DELETE", "/again", "", "200 /echo - DELETE  key"),
        ("GET", "/loop", "", "it redirects more than 5 times"),
        ("GET", "/nowhere", "", "it redirects to \"\", which cannot be fetched"),
        ("GET", "/ftp", "", "it redirects to \"ftp://a.test/\", which cannot be fetched"),
        ("GET", "/cut", "", "the connection ended before the answer did"),
    ];
    let request = |place: &Place<'_>, method: &str, path: &str| {
        let url = format!("{}{path}", place.server).parse().expect("a URL");
        HttpRequest::new(url).method(method.parse().expect("a method"))
    };
    for (method, path, body, expect) in rows {
        let asks = request(place, method, path).header("X-Key", "key");
        let asks = if body.is_empty() { asks } else { asks.body(body) };
        let answer = asked(place, asks).await;
        place.add(&format!("{method} {path} {body}"), answer, expect);
    }
    let quick = |place: &Place<'_>, path: &str| {
        let mut asks = request(place, "GET", path);
        asks.inactivity_timeout = QUIET;
        asks
    };
    for path in ["/silent", "/stalls"] {
        let answer = asked(place, quick(place, path)).await;
        place.add(&format!("GET {path}"), answer, "nothing came for 150ms");
        let mut asks = quick(place, path).deadline(QUIET);
        asks.inactivity_timeout = Duration::from_mins(1);
        let answer = asked(place, asks).await;
        place.add(
            &format!("GET {path} with a deadline"),
            answer,
            "there was no complete answer within 150ms",
        );
    }
    let answer = asked(place, request(place, "GET", "/plain").header("a b", "c")).await;
    place.add(
        "a header that cannot be",
        answer,
        "the header \"a b\" cannot be sent: it has invalid characters",
    );
    let answer = asked(place, request(place, "POST", "/echo").header("Content-Length", "1")).await;
    place.add(
        "a header that is the client's",
        answer,
        "the header \"Content-Length\" is set by the client from the body",
    );
    let from = place.system.network().request(request(place, "GET", "/plain")).await;
    let stream =
        |body: converge_core::system::HttpResponse, length| RequestBody::Stream { body: body.body, length };
    if let Ok(from) = from {
        let mut asks = request(place, "PUT", "/echo");
        asks.body = stream(from, Some(5));
        let answer = asked(place, asks).await;
        place.add("an answer is sent on", answer, "200 /echo - PUT hello -");
    }
    for (length, expect) in [
        (Some(9), "the body of the request: it ends after 5 of 9 bytes"),
        (Some(2), "the body of the request: it has more than 2 bytes"),
    ] {
        if let Ok(from) = place.system.network().request(request(place, "GET", "/plain")).await {
            let mut asks = request(place, "PUT", "/echo");
            asks.body = stream(from, length);
            let answer = asked(place, asks).await;
            place.add("it is not as long as it was said to be", answer, expect);
        }
    }
    if let Ok(from) = place.system.network().request(request(place, "GET", "/plain")).await {
        let mut asks = request(place, "PUT", "/again");
        asks.body = stream(from, None);
        let answer = asked(place, asks).await;
        place.add("it is asked for again", answer, "it redirects to /echo and asks for the body again, which was streamed and is no longer available");
    }
    // No server listens at this port.
    let refused =
        place.system.network().request(HttpRequest::new("http://127.0.0.1:1/".parse().expect("a URL"))).await;
    let is_refused = matches!(refused, Err(HttpError::Refused | HttpError::NoSuchHost));
    place.add("nobody listens", is_refused.to_string(), "true");
    let connected = place.system.network().connect(&Address::tcp("127.0.0.1", 1)).await;
    place.done("connect to nobody", connected.map(|_| ()), "connection refused");
    let connected = place.system.network().connect(&Address::Unix(place.at("socket"))).await;
    let kind = connected.err().map(|error| error.kind);
    place.add("connect to no socket", (kind == Some(SystemErrorKind::NotFound)).to_string(), "true");
}
