//! Tests with clients that are slow, endless or malicious.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{middleware, request_metrics};
use crate::listeners::{self, BodyBudget, Limits, Routes, serve};
use crate::metrics::Metrics;

/// Returns limits that a test reaches quickly.
fn limits() -> Limits {
    Limits {
        connections: 1,
        body: 1024,
        head_time: Duration::from_millis(100),
        request_time: Duration::from_millis(200),
        stall_time: Duration::from_millis(100),
        silent_time: Duration::from_millis(100),
        close_time: Duration::from_millis(300),
        ..Limits::default()
    }
}

/// The maximum time to wait before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

struct Door {
    /// Gains a permit with each request for `/endless`.
    asked: Arc<Semaphore>,
    address: SocketAddr,
    closing: CancellationToken,
    serving: JoinHandle<()>,
    metrics: Metrics,
}

async fn open(limits: Limits) -> Door {
    open_with(limits, Routes::Http).await
}

async fn open_with(limits: Limits, answering: impl FnOnce(Router) -> Routes) -> Door {
    let arrivals = Arc::new(Semaphore::new(0));
    let endless = {
        let arrivals = Arc::clone(&arrivals);
        move || async move {
            arrivals.add_permits(1);
            std::future::pending::<String>().await
        }
    };
    let routes = Router::new()
        .route("/", get(|| async { "here" }))
        .route("/endless", get(endless))
        .route("/large", get(|| async { "x".repeat(64 * 1024 * 1024) }))
        .route("/echo", post(|text: String| async { text }));
    let metrics = Metrics::new(None);
    let counts = Arc::clone(metrics.http());
    let counted = from_fn_with_state(Arc::clone(&counts), request_metrics::counted);
    let routes = middleware::limited(routes, &limits, BodyBudget::new(&limits)).layer(counted);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, closing) = (listener.local_addr().unwrap(), CancellationToken::new());
    let door = listeners::ListenerSettings { tls: None, routes: answering(routes), limits, counts };
    let serving = tokio::spawn(serve(listener, door, closing.clone()));
    Door { asked: arrivals, address, closing, serving, metrics }
}

impl Door {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a request and returns the first line of the answer, after which the connection ends.
    async fn says(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        first_line(&mut stream).await
    }

    /// Waits until a metric of this listener has a value.
    async fn until_counted(&self, metric: &str, labels: &str, value: u64) {
        let expect = format!("{metric}{{door=\"http\"{labels}}} {value}");
        let counted = async {
            while !self.metrics.openmetrics("").await.lines().any(|line| line == expect) {
                tokio::task::yield_now().await;
            }
        };
        let counted = timeout(PATIENCE, counted).await;
        assert!(counted.is_ok(), "no {expect} in {}", self.metrics.openmetrics("").await);
    }

    /// Checks that another client is served.
    async fn serves_others(&self) {
        assert_eq!(
            self.says("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await,
            "HTTP/1.1 200 OK"
        );
    }
}

/// Reads until the connection ends and returns the first line.
async fn first_line(stream: &mut TcpStream) -> String {
    let mut bytes_read = Vec::new();
    // The server may close a connection while the client still sends, which is a read error here.
    let _ = stream.read_to_end(&mut bytes_read).await;
    String::from_utf8_lossy(&bytes_read).lines().next().unwrap_or_default().to_owned()
}

// The limits allow one connection, so another client is only served once the first is gone.

#[tokio::test]
async fn a_client_that_says_nothing_is_sent_away() {
    let door = open(limits()).await;
    let _silent = door.connect().await;
    door.serves_others().await;
}

#[tokio::test]
async fn a_client_that_does_not_say_what_it_speaks_is_sent_away() {
    let routes = |http| Routes::Both { http, grpc: Router::new() };
    for prefix in [&b""[..], b"P", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let door = open_with(limits(), routes).await;
        let mut slow = door.connect().await;
        slow.write_all(prefix).await.unwrap();
        door.serves_others().await;
        let limit = if prefix.len() == 24 { "silent_time" } else { "head_time" };
        door.until_counted("converge_server_refused_total", &format!(",limit=\"{limit}\""), 1).await;
    }
    let door = open_with(limits(), routes).await;
    let mut slow = door.connect().await;
    slow.write_all(b"PUT / HTTP/1.1\r\nhost:").await.unwrap();
    door.serves_others().await;
}

#[tokio::test]
async fn a_client_that_sends_slowly_is_sent_away() {
    let door = open(limits()).await;
    let mut slow = door.connect().await;
    slow.write_all(b"GET / HTTP/1.1\r\nhost:").await.unwrap();
    door.serves_others().await;
}

#[tokio::test]
async fn a_client_that_asks_no_more_is_sent_away() {
    let door = open(limits()).await;
    let mut idle = door.connect().await;
    idle.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    door.serves_others().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_sent_away() {
    let door = open(limits()).await;
    let mut deaf = door.connect().await;
    deaf.write_all(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    door.serves_others().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_ends_the_request() {
    let door = open(limits()).await;
    let slow = "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 9\r\n\r\nhalf";
    assert_eq!(door.says(slow).await, "HTTP/1.1 408 Request Timeout");
    door.serves_others().await;
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_answered() {
    let door = open(limits()).await;
    let endless = "GET /endless HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert_eq!(door.says(endless).await, "HTTP/1.1 408 Request Timeout");
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let door = open(limits()).await;
    let large = "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1025\r\n\r\n";
    assert_eq!(door.says(large).await, "HTTP/1.1 413 Payload Too Large");
    let head = format!("GET / HTTP/1.1\r\nhost: x\r\nlong: {}\r\n\r\n", "x".repeat(20 * 1024));
    assert_eq!(door.says(&head).await, "HTTP/1.1 431 Request Header Fields Too Large");
    // The body has no declared length.
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    let endless = format!(
        "POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n"
    );
    assert_eq!(door.says(&endless).await, "HTTP/1.1 413 Payload Too Large");
    door.serves_others().await;
}

#[tokio::test]
async fn what_was_asked_is_answered_when_the_door_closes() {
    let door = open(limits()).await;
    let mut stream = door.connect().await;
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    door.asked.acquire().await.unwrap().forget();
    door.closing.cancel();
    assert_eq!(first_line(&mut stream).await, "HTTP/1.1 408 Request Timeout");
    door.serving.await.unwrap();
}

#[tokio::test]
async fn nobody_keeps_the_door_open() {
    let door = open(Limits { stall_time: Duration::from_hours(1), ..limits() }).await;
    let mut deaf = door.connect().await;
    deaf.write_all(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut first_byte = [0];
    deaf.read_exact(&mut first_byte).await.unwrap();
    door.closing.cancel();
    door.serving.await.unwrap();
}

#[tokio::test]
async fn those_who_reach_a_limit_are_counted() {
    let door = open(Limits { connections: 2, ..limits() }).await;
    let refused = async |limit: &str, count| {
        let limit = format!(",limit=\"{limit}\"");
        door.until_counted("converge_server_refused_total", &limit, count).await;
    };
    let large = "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 1025\r\n\r\n";
    assert_eq!(door.says(large).await, "HTTP/1.1 413 Payload Too Large");
    refused("body", 1).await;
    let endless = "GET /endless HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    assert_eq!(door.says(endless).await, "HTTP/1.1 408 Request Timeout");
    refused("request_time", 1).await;
    let _slow = {
        let mut slow = door.connect().await;
        slow.write_all(b"GET / HTTP/1.1\r\nhost:").await.unwrap();
        slow
    };
    refused("head_time", 1).await;
    let mut deaf = door.connect().await;
    deaf.write_all(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    refused("stall_time", 1).await;
    refused("head_time", 1).await;
    for limit_name in ["watches", "silent_time"] {
        refused(limit_name, 0).await;
    }
}

#[tokio::test]
async fn requests_are_counted_by_route_and_by_what_came_of_them() {
    let door = open(Limits { request_time: PATIENCE, ..limits() }).await;
    let requests = "converge_server_requests_total";
    let ask = |request: &str| format!("{request} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    for request in ["GET /", "GET /?a=b", "HEAD /", "GET /none", "PUT /nothing", "DELETE /", "MAKEUP /"] {
        door.says(&ask(request)).await;
    }
    door.until_counted(requests, ",method=\"GET\",route=\"/\",code=\"200\"", 3).await;
    door.until_counted(requests, ",method=\"other\",route=\"other\",code=\"404\"", 2).await;
    door.until_counted(requests, ",method=\"other\",route=\"/\",code=\"405\"", 2).await;
    door.until_counted("converge_server_connections_accepted_total", "", 7).await;
    door.until_counted("converge_server_connections", "", 0).await;

    // This client leaves before the answer.
    let mut connection = door.connect().await;
    connection.write_all(ask("GET /endless").as_bytes()).await.unwrap();
    door.asked.acquire().await.unwrap().forget();
    door.until_counted("converge_server_requests_in_flight", "", 1).await;
    door.until_counted("converge_server_connections", "", 1).await;
    drop(connection);
    door.until_counted(requests, ",method=\"GET\",route=\"/endless\",code=\"cancelled\"", 1).await;
    door.until_counted("converge_server_requests_in_flight", "", 0).await;
    door.until_counted("converge_server_connections", "", 0).await;
}

#[tokio::test]
async fn who_finds_no_memory_left_is_counted() {
    let door = open(Limits { body: 4096, bodies: 100, small_body: 10, ..limits() }).await;
    let large = format!(
        "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 500\r\n\r\n{}",
        "x".repeat(500)
    );
    assert_eq!(door.says(&large).await, "HTTP/1.1 429 Too Many Requests");
    door.until_counted("converge_server_refused_total", ",limit=\"memory\"", 1).await;
}
