//! How both sides of an encrypted connection prove who they are.

use std::fmt;

use crate::types::value::Secret;

/// How both sides of an encrypted connection prove who they are. Without anything said the server does by an authority that the
/// machine trusts, and who asks it does not.
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
    /// The certificates (PEM) of the only authorities that are trusted, also where redirects lead; those of the machine when `None`.
    pub authorities: Option<String>,
    /// What proves who asks. A server that a redirect leads to is not shown it.
    pub identity: Option<Identity>,
    /// Whether the server may have any certificate: nobody knows then who it is. A server that a redirect leads to may not.
    pub insecure: bool,
}

impl Tls {
    /// What of it holds for another server, to which a redirect leads.
    #[cfg(any(test, feature = "http", feature = "testing"))]
    pub(crate) fn elsewhere(&self) -> Self {
        Self { authorities: self.authorities.clone(), identity: None, insecure: false }
    }

    /// Whether something is said.
    #[cfg(any(feature = "http", feature = "serde"))]
    #[doc(hidden)]
    pub fn is_some(&self) -> bool {
        *self != Self::default()
    }
}

/// A certificate and its key, by which a server knows who asks it.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, and after it those of the authorities between it and one that the server knows (PEM).
    pub certificate: String,
    /// The key (PEM), without a password.
    pub key: Secret<String>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificate", &self.certificate.len()).finish_non_exhaustive()
    }
}
