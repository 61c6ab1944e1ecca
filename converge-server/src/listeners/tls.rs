//! TLS certificates, and the answer to clients that do not use TLS.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::expiry;
use super::protocol::Protocol;
use super::write_timeout::WriteTimeout;
use crate::metrics::Counter;
use converge_core::debug_as_text;

/// The first byte of a TLS connection.
const HANDSHAKE: u8 = 22;
/// The maximum number of bytes read from a client without TLS, so that it receives the answer.
const DRAINED: usize = 64 * 1024;

/// A private key and the certificates of a server.
#[derive(Clone, Debug)]
pub struct Tls {
    config: Arc<ServerConfig>,
    /// The expiry of the server certificate, if it can be read.
    end: Option<Timestamp>,
}

/// A reason why a key and certificates cannot be used.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// There is no certificate.
    #[error("there is no certificate in it")]
    NoCertificate,
    /// The text is no valid PEM.
    #[error("it is not a key with certificates (PEM): {0}")]
    Pem(#[from] rustls::pki_types::pem::Error),
    /// The key and the certificates do not match, or have an unsupported kind.
    #[error("its key and certificates cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

debug_as_text!(TlsError);

impl Tls {
    /// Parses a PEM text with a private key and its certificates, the server's certificate first.
    ///
    /// # Errors
    ///
    /// The key or the certificates are missing or unreadable, or they do not match.
    pub fn from_pem(pem: &[u8]) -> Result<Self, TlsError> {
        Self::with_verifier(pem, WebPkiClientVerifier::no_client_auth())
    }

    /// Like [`from_pem`](Self::from_pem), but accepts clients with certificates of an authority.
    ///
    /// # Errors
    ///
    /// See [`from_pem`](Self::from_pem); the errors apply to both texts.
    pub fn from_pem_with_nodes(pem: &[u8], authority: &[u8]) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(authority) {
            roots.add(certificate?)?;
        }
        if roots.is_empty() {
            return Err(TlsError::NoCertificate);
        }
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = verifier.allow_unauthenticated().build();
        Self::with_verifier(pem, verifier.map_err(|error| rustls::Error::General(error.to_string()))?)
    }

    fn with_verifier(pem: &[u8], clients: Arc<dyn ClientCertVerifier>) -> Result<Self, TlsError> {
        let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>()?;
        if certificates.is_empty() {
            return Err(TlsError::NoCertificate);
        }
        let end = certificates.first().and_then(|certificate| expiry::certificate_expiry(certificate));
        let key = PrivateKeyDer::from_pem_slice(pem)?;
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let config = config.with_client_cert_verifier(clients).with_single_cert(certificates, key)?;
        Ok(Self { config: Arc::new(config), end })
    }

    /// Returns the expiry of the server certificate.
    pub(crate) fn end(&self) -> Option<Timestamp> {
        self.end
    }
}

/// The TLS settings of new connections.
///
/// Existing connections keep their settings.
#[derive(Clone, Debug)]
pub(crate) struct Current(Arc<RwLock<Tls>>);

impl Current {
    pub(crate) fn new(tls: Tls) -> Self {
        Self(Arc::new(RwLock::new(tls)))
    }

    pub(crate) fn replace(&self, tls: Tls) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = tls;
    }

    fn config(&self, protocols: &[Protocol]) -> ServerConfig {
        let mut config = ServerConfig::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).config);
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.alpn().to_vec()).collect();
        config
    }

    /// Performs the TLS handshake within a time limit, and negotiates one of the protocols.
    ///
    /// A client that does not speak TLS gets an error response, and the function returns `None`. The second
    /// duration is the write timeout of the stream, which `given_up` counts.
    pub(super) async fn accept(
        &self,
        stream: TcpStream,
        protocols: &[Protocol],
        [time, patience]: [Duration; 2],
        given_up: Counter,
    ) -> io::Result<Option<TlsStream<WriteTimeout<TcpStream>>>> {
        let end = Instant::now() + time;
        let late = || io::Error::from(io::ErrorKind::TimedOut);
        let mut first = [0];
        let peeked = timeout_at(end, stream.peek(&mut first)).await.map_err(|_| late())?;
        if peeked? == 1 && first != [HANDSHAKE] {
            // A client without TLS is no error, whether or not it receives the answer.
            let _ = timeout_at(end, tell(stream)).await;
            return Ok(None);
        }
        let acceptor = TlsAcceptor::from(Arc::new(self.config(protocols)));
        let accepted = timeout_at(end, acceptor.accept(WriteTimeout::new(stream, patience, given_up))).await;
        accepted.map_err(|_| late())?.map(Some)
    }
}

/// Answers an HTTP request that was sent without TLS.
async fn tell(mut stream: TcpStream) -> io::Result<()> {
    const BODY: &str = r#"{"error":{"code":"tls_required","message":"this server speaks TLS: ask for https:// in place of http://"}}"#;
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{BODY}",
        BODY.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // Unread bytes at the close of a connection can destroy the answer.
    let mut rest = [0; 1024];
    let mut drained = 0;
    while drained < DRAINED {
        match stream.read(&mut rest).await? {
            0 => break,
            read => drained += read,
        }
    }
    Ok(())
}
