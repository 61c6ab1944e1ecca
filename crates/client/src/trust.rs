//! The trusted authorities and the credentials of a client.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::token::Token;

/// The credentials of a client and the authorities that it trusts.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    /// The token of the client, if it has one.
    pub token: Option<Token>,
    /// The authorities that may sign the certificate of a server.
    pub authorities: Authorities,
    /// The certificate of the client, which authenticates requests without a token.
    pub certificate: Option<ClientCertificate>,
}

impl Credentials {
    /// Returns the TLS configuration: who is trusted, and the certificate of the client.
    ///
    /// # Errors
    ///
    /// Fails if the certificate of the client cannot be used, for example with the key of another one.
    pub fn tls_config(&self) -> Result<ClientConfig, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.authorities.certificates());
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_root_certificates(roots);
        match &self.certificate {
            None => Ok(config.with_no_client_auth()),
            Some(ClientCertificate { chain, key }) => {
                config.with_client_auth_cert(chain.clone(), key.clone_key())
            }
        }
    }
}

/// A certificate of a client with its private key.
///
/// The `Debug` output hides the key.
#[derive(Clone)]
pub struct ClientCertificate {
    chain: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl ClientCertificate {
    /// Parses a certificate and a key in PEM.
    ///
    /// # Errors
    ///
    /// Fails if one of the texts is not PEM, or if there is no key.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, pem::Error> {
        let chain = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect::<Result<_, _>>()?;
        Ok(Self { chain, key: Arc::new(PrivateKeyDer::from_pem_slice(key.as_bytes())?) })
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientCertificate(..)")
    }
}

/// The authorities that may sign the certificate of a server.
#[derive(Clone, Debug, Default)]
pub enum Authorities {
    /// The authorities that this machine trusts.
    #[default]
    OfMachine,
    /// Only these authorities.
    These(Arc<[CertificateDer<'static>]>),
}

impl Authorities {
    /// Parses authorities in PEM.
    ///
    /// # Errors
    ///
    /// Fails with the reason if the text is not PEM or has no certificate.
    pub fn from_pem(pem: &[u8]) -> Result<Self, String> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = certificates.map_err(|error| format!("it is not a certificate (PEM): {error}"))?;
        if certificates.is_empty() {
            Err("there is no certificate in it".to_owned())
        } else {
            Ok(Self::These(certificates.into()))
        }
    }

    fn certificates(&self) -> Vec<CertificateDer<'static>> {
        match self {
            Self::These(certificates) => certificates.to_vec(),
            Self::OfMachine => {
                let native = rustls_native_certs::load_native_certs();
                for error in &native.errors {
                    tracing::warn!(%error, "a certificate of this machine cannot be read");
                }
                native.certs
            }
        }
    }
}
