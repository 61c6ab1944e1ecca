//! A local server that answers as a test wants it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The lines of the head of a request, followed by an empty line and the body if there is one.
pub type Request = Vec<String>;

/// The bytes that the server sends before it closes the connection.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes, and then nothing until the client closes the connection.
    Stall(Vec<u8>),
    /// Sends these bytes, and then one byte after each interval while the client reads.
    Drip(Vec<u8>, Duration),
    /// Sends these bytes, and then further bytes without end while the client reads.
    Endless(Vec<u8>),
}

/// A server whose thread ends with the process.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    requests: Receiver<Request>,
}

impl Server {
    /// Creates a server that answers each request with the result of `reply` for its path and lines.
    ///
    /// # Panics
    ///
    /// When this machine has no free port.
    pub fn new(mut reply: impl FnMut(&str, &Request) -> Reply + Send + 'static) -> Self {
        Self::serve(move |mut stream, requests| respond(&mut stream, &mut reply, requests))
    }

    /// Creates a server with TLS that uses a key and its certificate (PEM, in one text).
    ///
    /// # Panics
    ///
    /// When this machine has no free port, or the key or certificate cannot be used.
    #[cfg(feature = "http")]
    pub fn encrypted(identity: &str, reply: impl FnMut(&str, &Request) -> Reply + Send + 'static) -> Self {
        Self::over_tls(tls::config(identity, None), reply)
    }

    /// Creates a server with TLS that accepts only clients with a trusted certificate.
    ///
    /// A certificate is trusted if `authority` (PEM) signed it, or if it is `authority` itself.
    ///
    /// # Panics
    ///
    /// When this machine has no free port, or the key or a certificate cannot be used.
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
            // A client that does not trust the certificate has closed the connection.
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

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of a path on a server without TLS.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests since the last call.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }

    /// Returns the first lines of the requests since the last call.
    pub fn request_lines(&self) -> Vec<String> {
        self.requests.try_iter().filter_map(|request| request.into_iter().next()).collect()
    }
}

/// Reads a request and answers it.
///
/// The client may close the connection at any time, and the test may have ended.
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

/// Returns the body of a request, as far as it arrives.
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
            // Each chunk ends with a line break.
            if reader.read_line(&mut String::new()).is_err() || chunk.is_err() || size == 0 {
                return body;
            }
        }
    }
    let length = header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    // A client that sends less than it announced has closed the connection.
    let _ = reader.by_ref().take(length).read_to_end(&mut body);
    body
}

/// Returns a response with a status, headers and a body.
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

/// Returns a key and its self-signed certificate for `localhost` (PEM, in one text).
#[cfg(all(test, feature = "http"))]
pub(crate) fn identity() -> String {
    #[expect(clippy::expect_used, reason = "that is how a test fails")]
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    certificate.signing_key.serialize_pem() + &certificate.cert.pem()
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
