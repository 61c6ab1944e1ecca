//! Conversion of certificates and keys for the client.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{AlertDescription, ClientConfig, RootCertStore};
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig, TlsConfigBuilder};

use super::{HttpError, Identity, Tls};

/// The TLS configurations for the requested server, and for others after redirects.
#[derive(Clone, Debug)]
pub(super) struct Configs {
    pub(super) own: TlsConfig,
    pub(super) elsewhere: TlsConfig,
}

impl Configs {
    /// Builds both configurations.
    ///
    /// `roots` are the authorities of the machine.
    pub(super) fn new(tls: &Tls, roots: &RootCerts) -> Result<Self, HttpError> {
        Ok(Self { own: config(tls, roots)?, elsewhere: config(&tls.elsewhere(), roots)? })
    }
}

/// Returns a builder with the settings that all connections share.
pub(super) fn builder(roots: RootCerts) -> TlsConfigBuilder {
    TlsConfig::builder().root_certs(roots).unversioned_rustls_crypto_provider(provider())
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn config(tls: &Tls, roots: &RootCerts) -> Result<TlsConfig, HttpError> {
    let roots = match &tls.authorities {
        None => roots.clone(),
        Some(pem) => authorities(pem).map_err(|reason| bad("the authority", reason))?,
    };
    let identity = tls.identity.as_ref().map(identity).transpose()?;
    Ok(builder(roots).client_cert(identity).disable_verification(tls.insecure).build())
}

fn bad(subject: &str, reason: impl std::fmt::Display) -> HttpError {
    HttpError::BadTls(format!("{subject} cannot be used: {reason}"))
}

/// Parses the certificates in a text.
///
/// There must be at least one, and the text between the PEM lines must be valid.
fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let list: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let list = list.map_err(|error| error.to_string())?;
    if list.is_empty() {
        return Err("there is no certificate in it, as in `-----BEGIN CERTIFICATE-----`".to_owned());
    }
    Ok(list)
}

fn authorities(pem: &str) -> Result<RootCerts, String> {
    let list = certificates(pem)?;
    let mut store = RootCertStore::empty();
    for certificate in &list {
        // The client would silently skip an invalid authority, and then trust nobody.
        store.add(certificate.clone()).map_err(|error| error.to_string())?;
    }
    Ok(RootCerts::from(list.iter().map(|certificate| Certificate::from_der(certificate).to_owned())))
}

fn identity(identity: &Identity) -> Result<ClientCert, HttpError> {
    let certificate_error = |why: String| bad("the client certificate", why);
    let chain = certificates(&identity.certificate).map_err(certificate_error)?;
    let pem = identity.key.expose().as_bytes();
    let no_key =
        || bad("the key of the client certificate", "it is not a private key (PEM) without a password");
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| no_key())?;
    // Checked here because the client panics if certificate and key do not match.
    ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| certificate_error(error.to_string()))?
        .with_root_certificates(RootCertStore::empty())
        .with_client_auth_cert(chain.clone(), key)
        .map_err(|error| certificate_error(error.to_string()))?;
    let chain: Vec<_> = chain.iter().map(|link| Certificate::from_der(link).to_owned()).collect();
    Ok(ClientCert::new_with_certs(&chain, PrivateKey::from_pem(pem).map_err(|_| no_key())?))
}

pub(super) fn failed(error: &rustls::Error) -> HttpError {
    use AlertDescription as Alert;
    match error {
        rustls::Error::AlertReceived(
            alert @ (Alert::CertificateRequired
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            // The certificate is not signed by its stated issuer.
            | Alert::DecryptError),
        ) => HttpError::Rejected(format!("{alert:?}")),
        error => HttpError::Untrusted(error.to_string()),
    }
}
