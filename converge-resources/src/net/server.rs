//! A server on this machine that says what a test wants it to say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};

/// The lines of a request, without the empty one at the end.
pub(crate) type Request = Vec<String>;

/// What is sent back as it is, before the connection is closed.
pub(crate) enum Reply {
    Send(Vec<u8>),
    /// The same, and then nothing until the other side closes the connection.
    Stall(Vec<u8>),
}

pub(crate) struct Server {
    address: SocketAddr,
    requests: Receiver<Request>,
}

impl Server {
    /// Answers each request with what `reply` makes of its path, its lines and the number of requests before it. The
    /// thread ends with the process.
    pub(crate) fn new(mut reply: impl FnMut(&str, &Request, usize) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let stream = stream.unwrap();
                let lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let request: Request = lines.take_while(|line| !line.is_empty()).collect();
                let Some(path) = request.first().and_then(|line| line.split(' ').nth(1)) else { continue };
                let reply = reply(path, &request, number);
                // The test may have ended, and the other side may have heard enough.
                drop(sender.send(request));
                let (Reply::Send(bytes) | Reply::Stall(bytes)) = &reply;
                if (&stream).write_all(bytes).is_ok() && matches!(reply, Reply::Stall(_)) {
                    let _ = (&stream).read(&mut [0]);
                }
            }
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

/// An answer with a status, headers and a body.
pub(crate) fn answer(status: &str, headers: &[&str], body: &[u8]) -> Reply {
    let mut bytes = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        bytes.push_str(header);
        bytes.push_str("\r\n");
    }
    bytes.push_str("\r\n");
    let mut bytes = bytes.into_bytes();
    bytes.extend_from_slice(body);
    Reply::Send(bytes)
}
