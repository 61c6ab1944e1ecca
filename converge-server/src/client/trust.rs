//! The trusted authorities and the credentials of a client.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::bearer::Bearer;

/// The credentials of a client and the authorities that it trusts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    /// The token of the client, if it has one.
    pub(crate) token: Option<Bearer>,
    pub(crate) authorities: Authorities,
    /// The node certificate of the client, which authenticates requests without a token.
    pub(crate) certificate: Option<ClientCertificate>,
}

/// A certificate with its private key.
///
/// The `Debug` output hides the key.
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    chain: Vec<CertificateDer<'static>>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl ClientCertificate {
    /// Parses a certificate and a key in PEM.
    pub(crate) fn from_pem(certificate: &str, key: &str) -> Result<Self, pem::Error> {
        let chain = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect::<Result<_, _>>()?;
        Ok(Self { chain, key: Arc::new(PrivateKeyDer::from_pem_slice(key.as_bytes())?) })
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientCertificate(..)")
    }
}

impl Asking {
    /// Converts to the configuration of the asynchronous client.
    pub(crate) fn for_rustls(&self) -> Result<ClientConfig, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.authorities.certificates());
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_root_certificates(roots);
        match &self.certificate {
            None => Ok(config.with_no_client_auth()),
            Some(identity) => config.with_client_auth_cert(identity.chain.clone(), identity.key.clone_key()),
        }
    }
}

/// The authorities that may sign the certificate of a server.
#[derive(Clone, Debug, Default)]
pub(crate) enum Authorities {
    #[default]
    OfMachine,
    These(Arc<[CertificateDer<'static>]>),
}

impl Authorities {
    /// Parses the authorities in a PEM text, or returns the reason why it has none.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, String> {
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

    /// Converts to the configuration of the blocking client.
    pub(super) fn for_ureq(&self) -> TlsConfig {
        let roots = self.certificates();
        let roots = roots.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        TlsConfig::builder()
            .root_certs(RootCerts::from(roots))
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
            .build()
    }
}
