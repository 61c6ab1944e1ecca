//! A server on this machine that says what a test wants it to say.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

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
    /// Answers each request with what `reply` makes of its path. The thread ends with the process.
    pub(crate) fn new(reply: impl Fn(&str, &Request) -> Reply + Send + 'static) -> Self {
        Self::serve(move |stream, requests| {
            let request = read(&mut BufReader::new(&stream));
            let path = request[0].split(' ').nth(1).unwrap().to_owned();
            let reply = reply(&path, &request);
            requests(request);
            let (Reply::Send(bytes) | Reply::Stall(bytes)) = &reply;
            (&stream).write_all(bytes).unwrap();
            if let Reply::Stall(_) = reply {
                let _ = (&stream).read(&mut [0]);
            }
        })
    }

    /// Speaks TLS with a certificate that nobody signed, and answers nothing.
    pub(crate) fn encrypted() -> Self {
        let certificate = CertificateDer::from_pem_slice(include_bytes!("certificate.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let config = Arc::new(config);
        Self::serve(move |mut stream, _| {
            let mut connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            // It ends when the other side does not like the certificate.
            while connection.complete_io(&mut stream).is_ok_and(|(read, _)| read > 0) {}
        })
    }

    fn serve(handle: impl Fn(TcpStream, &dyn Fn(Request)) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // The test may have ended.
                handle(stream.unwrap(), &|request| drop(sender.send(request)));
            }
        });
        Self { address, requests }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The first lines of the requests since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.requests.try_iter().map(|request| request[0].clone()).collect()
    }

    /// The requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

fn read(stream: &mut impl BufRead) -> Request {
    stream.lines().map(|line| line.unwrap()).take_while(|line| !line.is_empty()).collect()
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
