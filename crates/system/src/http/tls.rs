//! TLS settings: authentication of server and client.

use std::fmt;

use crate::types::value::Secret;

/// The authentication of both sides of an encrypted connection.
///
/// By default the certificate of the server must be signed by an authority that the machine trusts, and the
/// client has no certificate.
///
/// ```
/// use converge_core::system::{HttpRequest, Identity, Tls};
/// use converge_core::value::Secret;
///
/// # let (authority, certificate, key) = (String::new(), String::new(), String::new());
/// let mut request = HttpRequest::new("https://registry.example.com/".parse()?);
/// request.tls = Tls {
///     authorities: Some(authority),
///     identity: Some(Identity { certificate, key: Secret::new(key) }),
///     insecure: false,
/// };
/// # Ok::<(), converge_core::system::UrlError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// The certificates (PEM) of the only trusted authorities, also after redirects.
    ///
    /// `None` trusts those of the machine.
    pub authorities: Option<String>,
    /// The client certificate.
    ///
    /// It is not shown to another server after a redirect.
    pub identity: Option<Identity>,
    /// Whether any server certificate is accepted, so that the server is not authenticated.
    ///
    /// Another server after a redirect is still authenticated.
    pub insecure: bool,
}

impl Tls {
    /// Returns the settings for another server after a redirect.
    #[cfg(any(test, feature = "http", feature = "testing"))]
    pub(crate) fn elsewhere(&self) -> Self {
        Self { authorities: self.authorities.clone(), identity: None, insecure: false }
    }

    /// Whether any setting differs from the default.
    #[cfg(any(feature = "http", feature = "serde"))]
    #[doc(hidden)]
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }
}

/// A client certificate and its key.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, followed by intermediate certificates up to one that the server knows (PEM).
    pub certificate: String,
    /// The private key (PEM), without a password.
    pub key: Secret<String>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificate", &self.certificate.len()).finish_non_exhaustive()
    }
}
