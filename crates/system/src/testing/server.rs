//! A server on this machine that answers what a test wants it to answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The lines of the head of a request. When it has a body, an empty one and the body follow.
pub type Request = Vec<String>;

/// What is sent back as it is, before the connection is closed.
#[derive(Clone, Debug)]
pub enum Reply {
    /// All of it.
    Send(Vec<u8>),
    /// The same, and then nothing until the other side closes the connection.
    Stall(Vec<u8>),
    /// The same, and then a byte every now and then, for as long as the other side takes them.
    Drip(Vec<u8>, Duration),
    /// The same, and then as many bytes as the other side takes.
    Endless(Vec<u8>),
}

/// A server. Its thread ends with the process.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    requests: Receiver<Request>,
}

impl Server {
    /// Answers each request with what `reply` makes of its path and its lines.
    ///
    /// # Panics
    ///
    /// When this machine has no free port.
    pub fn new(mut reply: impl FnMut(&str, &Request) -> Reply + Send + 'static) -> Self {
        Self::serve(move |mut stream, requests| respond(&mut stream, &mut reply, requests))
    }

    /// The same over TLS, with a key and its certificate (PEM, in one text).
    ///
    /// # Panics
    ///
    /// When this machine has no free port, or they cannot be used.
    #[cfg(feature = "http")]
    pub fn encrypted(identity: &str, reply: impl FnMut(&str, &Request) -> Reply + Send + 'static) -> Self {
        Self::over_tls(tls::config(identity, None), reply)
    }

    /// The same, for those alone who have a certificate that `authority` (PEM) signed, or that is this one.
    ///
    /// # Panics
    ///
    /// When this machine has no free port, or they cannot be used.
    #[cfg(feature = "http")]
    pub fn for_certified(
        identity: &str,
        authority: &str,
        reply: impl FnMut(&str, &Request) -> Reply + Send + 'static,
    ) -> Self {
        Self::over_tls(tls::config(identity, Some(authority)), reply)
    }

    #[cfg(feature = "http")]
    fn over_tls(
        config: Result<rustls::ServerConfig, Box<dyn std::error::Error>>,
        mut reply: impl FnMut(&str, &Request) -> Reply + Send + 'static,
    ) -> Self {
        #[expect(clippy::expect_used, reason = "that is how a test fails")]
        let config = std::sync::Arc::new(config.expect("keys and their certificates"));
        Self::serve(move |stream, requests| {
            let Ok(connection) = rustls::ServerConnection::new(std::sync::Arc::clone(&config)) else {
                return;
            };
            let mut stream = rustls::StreamOwned::new(connection, stream);
            respond(&mut stream, &mut reply, requests);
            stream.conn.send_close_notify();
            // Who does not trust the certificate has closed the connection.
            let _ = stream.flush();
        })
    }

    fn serve(mut handle: impl FnMut(TcpStream, &Sender<Request>) + Send + 'static) -> Self {
        let bound =
            TcpListener::bind("127.0.0.1:0").and_then(|listener| Ok((listener.local_addr()?, listener)));
        #[expect(clippy::expect_used, reason = "a test fails by panicking")]
        let (address, listener) = bound.expect("a free port");
        let (sender, requests) = channel();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| handle(stream, &sender)));
        Self { address, requests }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path on a server without TLS.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests since the last call.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }

    /// The first lines of the requests since the last call.
    pub fn request_lines(&self) -> Vec<String> {
        self.requests.try_iter().filter_map(|request| request.into_iter().next()).collect()
    }
}

/// Reads a request and answers it. The other side may close the connection at any time, and the test may have ended.
fn respond(
    stream: &mut (impl Read + Write),
    reply: &mut impl FnMut(&str, &Request) -> Reply,
    requests: &Sender<Request>,
) {
    let mut reader = BufReader::new(&mut *stream);
    let lines = reader.by_ref().lines().map_while(Result::ok);
    let mut request: Request = lines.take_while(|line| !line.is_empty()).collect();
    let body = body(&mut reader, &request);
    if !body.is_empty() {
        request.extend([String::new(), String::from_utf8_lossy(&body).into_owned()]);
    }
    let Some(path) = request.first().and_then(|line| line.split(' ').nth(1)) else { return };
    let reply = reply(path, &request);
    let _ = requests.send(request);
    let (Reply::Send(bytes) | Reply::Stall(bytes) | Reply::Drip(bytes, _) | Reply::Endless(bytes)) = &reply;
    if stream.write_all(bytes).and_then(|()| stream.flush()).is_err() {
        return;
    }
    match &reply {
        Reply::Send(_) => {}
        Reply::Stall(_) => drop(stream.read(&mut [0])),
        Reply::Drip(_, pause) => {
            while stream.write_all(b"x").and_then(|()| stream.flush()).is_ok() {
                #[expect(clippy::disallowed_methods, reason = "it is the thread of the server that is slow")]
                std::thread::sleep(*pause);
            }
        }
        Reply::Endless(_) => while stream.write_all(&[b'x'; 4096]).is_ok() {},
    }
}

/// The body of a request, as far as it comes.
fn body(reader: &mut impl BufRead, head: &[String]) -> Vec<u8> {
    let header = |name: &str| {
        let mut headers = head.iter().filter_map(|line| line.split_once(": "));
        headers.find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    let mut body = Vec::new();
    if header("transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            let size =
                reader.read_line(&mut line).ok().and_then(|_| u64::from_str_radix(line.trim_end(), 16).ok());
            let size = size.unwrap_or_default();
            let chunk = reader.by_ref().take(size).read_to_end(&mut body);
            // Each ends with a line.
            if reader.read_line(&mut String::new()).is_err() || chunk.is_err() || size == 0 {
                return body;
            }
        }
    }
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    // Who sends less has hung up.
    let _ = reader.by_ref().take(length).read_to_end(&mut body);
    body
}

/// An answer with a status, headers and a body.
pub fn answer(status: &str, headers: &[&str], body: &[u8]) -> Reply {
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

/// A key and a certificate of it for `localhost`, which nobody else signed (PEM, in one text).
#[cfg(all(test, feature = "http"))]
pub(crate) fn identity() -> String {
    #[expect(clippy::expect_used, reason = "that is how a test fails")]
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    made.signing_key.serialize_pem() + &made.cert.pem()
}

#[cfg(feature = "http")]
mod tls {
    use std::error::Error;
    use std::sync::Arc;

    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use rustls::server::WebPkiClientVerifier;
    use rustls::{RootCertStore, ServerConfig};

    pub(super) fn config(identity: &str, clients: Option<&str>) -> Result<ServerConfig, Box<dyn Error>> {
        let certificate = CertificateDer::from_pem_slice(identity.as_bytes())?;
        let key = PrivateKeyDer::from_pem_slice(identity.as_bytes())?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let config = config.with_safe_default_protocol_versions()?;
        let config = match clients {
            None => config.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(authority.as_bytes())?)?;
                let roots = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                config.with_client_cert_verifier(roots.build()?)
            }
        };
        Ok(config.with_single_cert(vec![certificate], key)?)
    }
}
