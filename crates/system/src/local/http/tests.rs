//! Tests of requests to a server on this machine.

use std::time::Duration;

use crate::testing::server::{Reply, Request, Server, answer, identity};
use crate::{HttpError, HttpRequest, HttpResponse, LeastRate, LocalSystem, System};

/// Makes a request without a proxy, whatever the environment of the test.
async fn ask(request: HttpRequest) -> Result<HttpResponse, HttpError> {
    LocalSystem::new().network().request(request).await
}

fn request(url: &str) -> HttpRequest {
    HttpRequest::new(url.parse().expect("a URL"))
}

async fn body(response: &mut HttpResponse) -> Result<Vec<u8>, HttpError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.body.chunk().await? {
        bytes.extend(chunk);
    }
    Ok(bytes)
}

/// The pause between two bytes.
const DRIP: Duration = Duration::from_millis(2);

fn pages(path: &str, _: &Request) -> Reply {
    match path {
        "/large" => answer("200 OK", &["Etag: \"x\""], &vec![b'x'; 1_000_000]),
        "/packed" => answer("200 OK", &["Content-Encoding: gzip"], b"\x1f\x8b"),
        "/away" => answer("302 Found", &["Location: /large"], b""),
        "/loop" => answer("302 Found", &["Location: /loop"], b""),
        "/short" => {
            Reply::Send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntext".to_vec())
        }
        "/silent" => Reply::Stall(Vec::new()),
        "/slow" => Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ntext".to_vec()),
        "/drip" => Reply::Drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec(), DRIP),
        "/drip-headers" => Reply::Drip(b"HTTP/1.1 200 OK\r\nEtag: ".to_vec(), DRIP),
        "/flows" => answer("200 OK", &[], &vec![b'x'; 3_000_000]),
        _ => answer("404 Not Found", &[], b"no such page"),
    }
}

#[tokio::test]
async fn answers_come_piece_by_piece() {
    let server = Server::new(pages);
    let mut large = ask(request(&server.url("/away"))).await.expect("an answer");
    assert_eq!((large.status, large.url.to_string()), (200, server.url("/large")));
    assert_eq!((large.header("etag"), large.content_length()), (Some("\"x\""), Some(1_000_000)));
    assert!(body(&mut large).await.is_ok_and(|bytes| bytes == vec![b'x'; 1_000_000]));
    // Any status is a response, and compressed content stays compressed.
    let mut none = ask(request(&server.url("/none"))).await.expect("an answer");
    assert_eq!((none.status, body(&mut none).await), (404, Ok(b"no such page".to_vec())));
    let mut packed = ask(request(&server.url("/packed"))).await.expect("an answer");
    assert_eq!(body(&mut packed).await, Ok(b"\x1f\x8b".to_vec()));
}

#[tokio::test]
async fn what_goes_wrong() {
    let server = Server::new(pages);
    let quick = |path: &str| HttpRequest {
        inactivity_timeout: Duration::from_millis(80),
        ..request(&server.url(path))
    };
    let failed = async |asked: HttpRequest| match ask(asked).await {
        Ok(mut response) => body(&mut response).await.err(),
        Err(error) => Some(error),
    };
    assert_eq!(failed(request(&server.url("/short"))).await, Some(HttpError::Incomplete));
    assert_eq!(failed(quick("/silent")).await, Some(HttpError::Inactive(Duration::from_millis(80))));
    assert_eq!(failed(quick("/slow")).await, Some(HttpError::Inactive(Duration::from_millis(80))));
    assert_eq!(failed(request(&server.url("/loop"))).await, Some(HttpError::TooManyRedirects(5)));
    assert_eq!(
        ask(request(&server.url("/large")).header("a\nb", "c")).await.err(),
        Some(HttpError::BadHeader("a\nb".into()))
    );
    // The port is reserved, and nothing listens on it.
    let unused = tokio::net::TcpSocket::new_v4().expect("a socket");
    unused.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let closed = unused.local_addr().expect("its address");
    assert_eq!(ask(request(&format!("http://{closed}/"))).await.err(), Some(HttpError::Refused));
    let encrypted = Server::encrypted(&identity(), pages);
    let untrusted = ask(request(&format!("https://{}/", encrypted.address()))).await;
    assert!(matches!(untrusted, Err(HttpError::Untrusted(_))), "{untrusted:?}");
}

/// None of these servers is ever silent for long.
#[tokio::test]
async fn servers_that_send_a_byte_now_and_then() {
    let server = Server::new(pages);
    let within = Duration::from_millis(500);
    let impatient = |path: &str| HttpRequest {
        connect_timeout: within,
        inactivity_timeout: Duration::from_secs(2),
        least_rate: LeastRate { bytes: 200_000, within },
        ..request(&server.url(path))
    };
    let mut drips = ask(impatient("/drip")).await.expect("its headers");
    let slow = body(&mut drips).await;
    assert!(matches!(slow, Err(HttpError::TooSlow { received: ..1000, .. })), "{slow:?}");
    drop(drips);
    assert_eq!(
        ask(impatient("/drip-headers")).await.err(),
        Some(HttpError::NoAnswer(Duration::from_millis(2500)))
    );
    // Time in which the client does not wait for the server does not count.
    let mut flows = ask(impatient("/flows")).await.expect("its headers");
    let first = flows.body.chunk().await.expect("a chunk").expect("more than nothing");
    tokio::time::sleep(3 * within).await;
    assert!(body(&mut flows).await.is_ok_and(|rest| first.len() + rest.len() == 3_000_000));
}

/// The server accepts the connection and delays the handshake.
#[tokio::test]
async fn a_handshake_is_part_of_the_connection() {
    for first in [&[][..], &[22, 3, 3, 0x40, 0]] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("https://{}/", listener.local_addr().expect("its address"));
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut sent = std::io::Write::write_all(&mut stream, first);
            while sent.is_ok() {
                std::thread::sleep(DRIP);
                // Without a promised length, nothing follows.
                sent = std::io::Write::write_all(&mut stream, if first.is_empty() { b"" } else { b"x" });
            }
        });
        let connect_timeout = Duration::from_millis(200);
        let slow =
            HttpRequest { connect_timeout, inactivity_timeout: Duration::from_mins(1), ..request(&url) };
        assert_eq!(ask(slow).await.err(), Some(HttpError::ConnectTimeout(connect_timeout)));
    }
}

#[tokio::test]
async fn headers_are_sent_to_the_host_that_they_are_for() {
    let other = Server::new(pages);
    let elsewhere = format!("Location: {}", other.url("/large"));
    let server = Server::new(move |path, _| match path {
        "/here" => answer("302 Found", &["Location: /there"], b""),
        _ => answer("302 Found", &[&elsewhere], b""),
    });
    ask(request(&server.url("/here")).header("Authorization", "Basic x")).await.expect("an answer");
    let has = |requests: Vec<Request>| -> Vec<bool> {
        let sent = |request: &Request| {
            request.iter().any(|line| line.eq_ignore_ascii_case("authorization: basic x"))
        };
        requests.iter().map(sent).collect()
    };
    assert_eq!((has(server.requests()), has(other.requests())), (vec![true, true], vec![false]));
}

/// The runtime waits for its threads when it ends.
///
/// This test hangs if a dropped request does not end.
#[test]
fn a_request_that_nobody_waits_for_ends() {
    let server = Server::new(pages);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let hour = Duration::from_hours(1);
        let endless = |path| HttpRequest { inactivity_timeout: hour, ..request(&server.url(path)) };
        let slow = ask(endless("/slow")).await.expect("its beginning");
        let waits = tokio::time::timeout(Duration::from_millis(50), ask(endless("/silent"))).await;
        assert!(waits.is_err(), "it says nothing");
        drop(slow);
    });
}
