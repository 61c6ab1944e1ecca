//! Tests of slow, endless and malicious clients, and of shutdown.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::Server;

/// Sends bytes, and returns the first line that arrives before the connection ends.
fn says(server: &Server, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    // The server may refuse the request while it is sent.
    let _ = stream.write_all(request);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn rude_clients_are_refused_and_others_served() {
    let server = Server::start(&["--dev"]);
    // This client pauses in the middle of a request.
    let mut slow = TcpStream::connect(server.address()).unwrap();
    slow.write_all(b"GET /v1/health HTTP/1.1\r\nhost: local").unwrap();

    let huge = b"GET /v1/health HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10000000000\r\n\r\n";
    assert_eq!(says(&server, huge), "HTTP/1.1 413 Payload Too Large");
    let head = format!("GET /v1/health HTTP/1.1\r\nhost: localhost\r\nlong: {}\r\n\r\n", "x".repeat(1 << 20));
    assert_eq!(says(&server, head.as_bytes()), "HTTP/1.1 431 Request Header Fields Too Large");
    let elsewhere = b"GET /v1/controllers HTTP/1.1\r\nhost: example.org\r\nconnection: close\r\n\r\n";
    assert_eq!(says(&server, elsewhere), "HTTP/1.1 421 Misdirected Request");
    let nowhere = b"GET /v1/controllers HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert_eq!(says(&server, nowhere), "HTTP/1.1 421 Misdirected Request");
    assert_eq!(says(&server, b"\x16\x03\x01 is not HTTP\r\n\r\n"), "HTTP/1.1 400 Bad Request");
    assert_eq!(server.get("/v1/health"), (200, r#"{"status":"ok"}"#.to_owned()));
    assert_eq!(server.get("/v2").0, 404);
    assert_eq!(server.json("/v2")["error"]["code"], "not_found");

    // The slow client is disconnected in the end.
    let mut reply = Vec::new();
    slow.read_to_end(&mut reply).unwrap();
    assert!(!String::from_utf8_lossy(&reply).contains("200 OK"));
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
}

#[test]
fn clients_that_stay_do_not_keep_a_server_from_ending() {
    let server = Server::start(&["--dev"]);
    let mut idle = TcpStream::connect(server.address()).unwrap();
    idle.write_all(b"GET /v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first_byte = [0];
    idle.read_exact(&mut first_byte).unwrap();
    let silent = [server.address(), &server.grpc].map(|address| TcpStream::connect(address).unwrap());
    assert_eq!(server.ends_by("-TERM").code(), Some(0));
    drop((idle, silent));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let stop_twice = || {
        let server = Server::start(&["--dev"]);
        // The server waits for this request for a while.
        let mut slow = TcpStream::connect(server.address()).unwrap();
        slow.write_all(b"GET /v1/health HTTP/1.1\r\nhost: local").unwrap();
        server.signal("-TERM");
        // The listener is closed, but the server still runs.
        while TcpStream::connect(server.address()).is_ok() {}
        server.ends_by("-TERM").code()
    };
    // On a slow machine, the server may have stopped before the second signal.
    let codes: Vec<_> = (0..3).map(|_| stop_twice()).collect();
    assert!(
        codes.contains(&Some(130)) && codes.iter().all(|code| [Some(0), Some(130)].contains(code)),
        "{codes:?}"
    );
}
