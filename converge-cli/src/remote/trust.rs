//! The certificate authorities that servers are verified with.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// The authorities that may sign the certificate of a server.
#[derive(Clone, Debug, Default)]
pub(crate) enum Authorities {
    /// The authorities that this machine trusts.
    #[default]
    System,
    /// Only these authorities.
    Custom(Arc<[CertificateDer<'static>]>),
}

impl Authorities {
    /// Parses authorities in PEM, or returns why there are none.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, String> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = certificates.map_err(|error| format!("it is not a certificate (PEM): {error}"))?;
        if certificates.is_empty() {
            Err("there is no certificate in it".to_owned())
        } else {
            Ok(Self::Custom(certificates.into()))
        }
    }

    pub(super) fn config(&self) -> TlsConfig {
        let roots = match self {
            Self::Custom(certificates) => certificates.to_vec(),
            Self::System => {
                let native = rustls_native_certs::load_native_certs();
                for error in &native.errors {
                    tracing::warn!(%error, "a certificate of this machine cannot be read");
                }
                native.certs
            }
        };
        let roots = roots.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        TlsConfig::builder()
            .root_certs(RootCerts::from(roots))
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
            .build()
    }
}

#[cfg(test)]
mod tests {
    use super::Authorities;

    #[test]
    fn what_is_no_authority() {
        let problem = |text: &str| Authorities::from_pem(text.as_bytes()).unwrap_err();
        assert_eq!(problem(""), "there is no certificate in it");
        assert!(problem("-----BEGIN CERTIFICATE-----\n-").starts_with("it is not a certificate (PEM): "));
    }
}
