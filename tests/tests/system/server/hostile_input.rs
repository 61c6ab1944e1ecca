//! Tests with arbitrary input over HTTP and gRPC: the server survives with bounded memory.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::Server;

/// The maximum memory of the server in KiB.
/// The `.proto` file of the service.
const SERVICE: &str =
    include_str!("../../../../converge-server/proto/converge/resource/resource_service.proto");

const MOST: u64 = 256 * 1024;
const ROUNDS: u64 = 300;

/// The frame types of HTTP/2.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;

/// A pseudorandom generator with a fixed sequence.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        // The SplitMix64 algorithm.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % end
    }

    fn bytes(&mut self, maximum: usize) -> Vec<u8> {
        let length = self.below(maximum + 1);
        (0..length).map(|_| self.byte()).collect()
    }

    fn choose<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Changes some bytes, or truncates them.
    fn damaged(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        for _ in 0..self.below(4) {
            let index = self.below(bytes.len());
            bytes[index] = self.byte();
        }
        let end = self.below(bytes.len() * 2);
        bytes.truncate(end);
        bytes
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Encodes a header text: its length and its bytes.
fn text(text: &str) -> Vec<u8> {
    let mut coded = Vec::new();
    let mut rest = text.len();
    if rest >= 127 {
        // The prefix holds the maximum, and the rest follows in groups of seven bits.
        coded.push(127);
        rest -= 127;
        while rest >= 128 {
            coded.push(u8::try_from(rest % 128).unwrap() | 128);
            rest /= 128;
        }
    }
    coded.push(u8::try_from(rest).unwrap());
    coded.extend(text.as_bytes());
    coded
}

/// Returns the header frames of a call, of a size that every server accepts.
fn head(stream: u32, method: &str, extra: &[(&str, &str)]) -> Vec<u8> {
    let path = format!("/converge.resource.ResourceService/{method}");
    let usual = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", &path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    // The byte 0 marks a literal name and value.
    let block: Vec<u8> = usual
        .iter()
        .chain(extra)
        .flat_map(|(name, value)| [vec![0], text(name), text(value)].concat())
        .collect();
    let pieces: Vec<&[u8]> = block.chunks(16_384).collect();
    let last = pieces.len() - 1;
    let frames = pieces.iter().enumerate().map(|(at, piece)| {
        let kind = if at == 0 { HEADERS } else { 9 };
        frame(kind, if at == last { 4 } else { 0 }, stream, piece)
    });
    frames.collect::<Vec<_>>().concat()
}

/// Returns the data frame of a gRPC message.
fn message(stream: u32, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
    frame(DATA, 1, stream, &[&[0], length.as_slice(), bytes].concat())
}

/// Returns the protobuf request of `Read` or `WatchList` for the namespace `default`.
fn namespace(method: &str) -> Vec<u8> {
    let field = |tag: u8, bytes: &[u8]| [&[tag << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat();
    let of_type = field(1, &[field(1, b"tenancy"), field(2, b"v1"), field(3, b"Namespace")].concat());
    match method {
        "WatchList" => of_type,
        _ => field(1, &[of_type, field(2, &field(1, b"default")), field(3, b"default")].concat()),
    }
}

impl Server {
    /// Opens an HTTP/2 connection.
    fn connect_http2(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.grpc).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        stream.write_all(&frame(SETTINGS, 0, 0, &[])).unwrap();
        stream
    }

    /// Checks that a well-behaved client gets answers over HTTP and gRPC.
    pub(super) fn serves(&self) {
        assert_eq!(self.get("/v1/health").0, 200);
        let mut stream = self.connect_http2();
        stream.write_all(&head(1, "Read", &[])).unwrap();
        stream.write_all(&message(1, &namespace("Read"))).unwrap();
        let mut answer = frames(&mut stream);
        let payload = answer.find(|frame| frame.kind == DATA).expect("there is an answer").payload;
        assert!(String::from_utf8_lossy(&payload).contains("Namespace"), "{payload:?}");
        // The call is read to its end, because a call in progress is not counted.
        answer.find(|frame| frame.kind == HEADERS).expect("the call ends");
    }

    /// Returns the peak memory of the server in KiB.
    fn most_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Checks that the server is healthy, and stops it.
    fn assert_healthy(self, log: &str) {
        self.serves();
        let memory = self.most_memory();
        assert!(memory < MOST, "it has had {memory} KiB");
        assert_eq!(self.ends_by("-TERM").code(), Some(0));
        let text = fs::read_to_string(log).unwrap();
        assert!(!text.contains("panicked"), "{text}");
    }
}

/// A received frame.
struct Frame {
    kind: u8,
    stream: u32,
    payload: Vec<u8>,
}

/// Returns the received frames until the connection is silent.
fn frames(stream: &mut TcpStream) -> impl Iterator<Item = Frame> {
    std::iter::from_fn(|| {
        let mut head = [0; 9];
        stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).ok()?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        Some(Frame { kind: head[3], stream, payload })
    })
}

/// Sends the data of a call within the flow control windows, until all is sent or the call is answered.
fn send_data(stream: &mut TcpStream, bytes: &[u8]) {
    // The initial windows of the connection and the call (RFC 9113, section 6.9.2), which the server does not
    // reduce here.
    let mut windows = [65_535_usize; 2];
    for chunk in bytes.chunks(16_384) {
        while windows.iter().min() < Some(&chunk.len()) {
            match frames(stream).next() {
                Some(Frame { kind: WINDOW_UPDATE, stream, payload }) => {
                    let increment = u32::from_be_bytes(payload.try_into().expect("it is a number"));
                    windows[usize::from(stream != 0)] += increment as usize;
                }
                Some(Frame { kind: HEADERS, .. }) | None => return,
                Some(_) => {}
            }
        }
        windows = windows.map(|window| window - chunk.len());
        if stream.write_all(&frame(DATA, 0, 1, chunk)).is_err() {
            return;
        }
    }
}

/// Sends bytes, and reads answers for a moment.
fn say(mut stream: TcpStream, bytes: &[u8]) {
    // The server may refuse the input while it is sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
    let _ = stream.read(&mut [0; 4096]);
}

/// Runs a test against a server with separate addresses, and against one with a shared address.
fn to_both(check: impl Fn(&Server)) {
    for start in [Server::start_with_log, Server::at_one_address] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log").to_str().unwrap().to_owned();
        let server = start(&["--dev"], &log);
        check(&server);
        server.assert_healthy(&log);
    }
}

#[test]
fn anything_is_borne_at_the_door_for_grpc() {
    to_both(|server| {
        let mut chance = Chance(14);
        let names = SERVICE.lines().filter_map(|line| line.trim().strip_prefix("rpc ")?.split_once('('));
        let methods: Vec<_> = names.map(|(name, _)| name).chain(["None"]).collect();
        for _ in 0..ROUNDS {
            let mut requests = Vec::new();
            for stream in [1, 3, 5, 7, 9, 11].into_iter().take(1 + chance.below(6)) {
                let method = chance.choose(&methods);
                let headers = [("grpc-timeout", chance.choose(&["1n", "5S", "99999999H", "x"])), ("x", "y")];
                requests.extend(head(stream, method, &headers[..chance.below(3)]));
                let bytes = match chance.below(3) {
                    0 => chance.bytes(200),
                    1 => chance.damaged(namespace("Read")),
                    // The message is larger or smaller than its declared length.
                    _ => [chance.bytes(5), namespace("WatchList")].concat(),
                };
                requests.extend(message(stream, &bytes));
                if chance.below(4) == 0 {
                    let payload = chance.bytes(64);
                    requests.extend(frame(
                        chance.byte() % 12,
                        chance.byte(),
                        u32::from(chance.byte() % 16),
                        &payload,
                    ));
                }
            }
            if chance.below(2) == 0 {
                requests = chance.damaged(requests);
            }
            say(server.connect_http2(), &requests);
        }
    });
}

#[test]
fn anything_is_borne_at_the_door_for_http() {
    to_both(|server| {
        let mut chance = Chance(15);
        let paths = [
            "/v1/resources/tenancy/v1/namespace/web",
            "/v1/resources/tenancy/v1/namespace?watch=true&namespace=%2a",
            "/v1/resources/tenancy/v1/namespace/web/status/key?uid=01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "/v1/controllers/graph?format=dot",
            "/%00/%ff?%00=%ff",
            "*",
        ];
        let bodies = [
            r#"{"data": {"description": "for the web"}, "metadata": {"a": "b"}}"#.to_owned(),
            "[".repeat(100_000),
            r#"{"data":"#.repeat(10_000),
            r#"{"data": {"description": 7, "@type": "x"}}"#.to_owned(),
            r#"{"observed_generation": "x", "conditions": [{}]}"#.to_owned(),
        ];
        for _ in 0..ROUNDS {
            let method = chance.choose(&["GET", "PUT", "POST", "DELETE", "PATCH", "PRI"]);
            let path = chance.choose(&paths);
            let body = bodies[chance.below(bodies.len())].as_bytes();
            let length = match chance.below(4) {
                0 => "transfer-encoding: chunked".to_owned(),
                1 => format!("content-length: {}", chance.next()),
                _ => format!("content-length: {}", body.len()),
            };
            let head = format!(
                "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{length}\r\n\r\n"
            );
            let complete = [head.as_bytes(), body].concat();
            let request = if chance.below(2) == 0 { chance.damaged(complete) } else { complete };
            say(TcpStream::connect(server.address()).unwrap(), &request);
        }
    });
}

#[test]
fn heads_are_bounded_at_the_door_for_grpc() {
    to_both(|server| {
        let text_of_a_header = "x".repeat(1 << 20);
        for _ in 0..20 {
            say(server.connect_http2(), &head(1, "Read", &[("long", &text_of_a_header)]));
        }
        // This request head never ends.
        let mut endless = server.connect_http2();
        let mut partial_head = head(1, "Read", &[]);
        partial_head[4] = 0;
        let _ = endless.write_all(&partial_head);
        let continuation = frame(9, 0, 1, &[vec![0], text("long"), text(&"x".repeat(16_000))].concat());
        while endless.write_all(&continuation).is_ok() {}
        // A silent client is disconnected, perhaps after an error response.
        let mut silent = TcpStream::connect(&server.grpc).unwrap();
        let _ = silent.read_to_end(&mut Vec::new());
    });
}

#[test]
fn watches_that_nobody_reads_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log").to_str().unwrap().to_owned();
    let server = Server::start_with_log(&["--dev"], &log);
    let mut deaf = Vec::new();
    for _ in 0..5 {
        let mut stream = server.connect_http2();
        for number in 0..10 {
            stream.write_all(&head(number * 2 + 1, "WatchList", &[])).unwrap();
            stream.write_all(&message(number * 2 + 1, &namespace("WatchList"))).unwrap();
        }
        deaf.push(stream);
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let watch = "GET /v1/resources/tenancy/v1/namespace?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n";
        stream.write_all(watch.as_bytes()).unwrap();
        deaf.push(stream);
    }
    // Each watch may buffer one event. If each one buffered all events, the memory limit would be exceeded.
    for number in 0..100 {
        let data = format!(r#"{{"data": {{"description": "{number} {}"}}}}"#, "x".repeat(1 << 20));
        assert_eq!(server.put("/v1/resources/tenancy/v1/namespace/large", &data).0, 200);
    }
    server.assert_healthy(&log);
    drop(deaf);
}

/// The number of unfinished requests, which together would exceed the memory limit.
const UNFINISHED: usize = 400;

#[test]
fn bodies_that_never_end_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log").to_str().unwrap().to_owned();
    let server = Server::start_with_log(&["--dev"], &log);
    let piece = vec![b' '; 1_000_000];
    let mut waiting = Vec::new();
    for _ in 0..UNFINISHED / 4 {
        let mut stream = server.connect_http2();
        assert_eq!(frames(&mut stream).next().map(|frame| frame.kind), Some(SETTINGS));
        stream.write_all(&frame(SETTINGS, 1, 0, &[])).unwrap();
        stream.write_all(&head(1, "Write", &[])).unwrap();
        let length = u32::try_from(piece.len() + 1).unwrap().to_be_bytes();
        send_data(&mut stream, &[&[0], &length[..], &piece[..]].concat());
        waiting.push(stream);
    }
    let unfinished = |at: usize| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let path = format!("/v1/resources/tenancy/v1/namespace/n{at}");
        let headers = "host: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000001";
        stream.write_all(format!("PUT {path} HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes()).unwrap();
        // The server may refuse the request before its end.
        let _ = stream.write_all(&piece);
        stream
    };
    waiting.extend((0..UNFINISHED).map(unfinished));
    // While unfinished requests use the budget, a complete large request is refused with an error response,
    // and a small one is accepted.
    //
    // On a slow machine, the first requests may have timed out or not been read yet. Further ones are sent
    // until the budget is exhausted.
    let large = format!(r#"{{"data": {{"description": "{}"}}}}"#, "x".repeat(1 << 20));
    let put_large = |at: usize| {
        waiting.push(unfinished(UNFINISHED + at));
        server.put("/v1/resources/tenancy/v1/namespace/large", &large)
    };
    let refused = (0..UNFINISHED).map(put_large).find(|(status, _)| *status != 200);
    let (status, body) = refused.expect("there is no place for all of them");
    assert!(status == 429 && body.contains("try again later"), "{status} {body:.200}");
    let small = server.put("/v1/resources/tenancy/v1/namespace/small", r#"{"data": {"description": "x"}}"#);
    assert_eq!(small.0, 200, "{}", small.1);
    drop(waiting);
    server.assert_healthy(&log);
}
