//! The URL of a server.

use std::fmt;
use std::str::FromStr;

use converge_core::Redactor;
use converge_core::system::Url;
use rustls::pki_types::ServerName;

use crate::error::{ClientError, InvalidUrl};

/// The URL of a server: a scheme, a host and a port, without a user, a path or a query.
///
/// ```
/// use converge_client::ServerUrl;
///
/// let url: ServerUrl = "http://127.0.0.1:8500/".parse()?;
/// assert_eq!(url.as_str(), "http://127.0.0.1:8500");
/// assert!(url.is_this_machine());
/// # Ok::<(), converge_client::InvalidUrl>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl {
    url: Url,
    text: String,
    /// The name that the certificate must contain, or `None` without TLS.
    name: Option<ServerName<'static>>,
}

impl ServerUrl {
    /// Parses a comma-separated list of URLs.
    ///
    /// # Errors
    ///
    /// Fails with the first text that is not the URL of a server.
    pub fn parse_list(urls: &str) -> Result<Vec<Self>, ClientError> {
        let parse = |url: &str| {
            url.parse().map_err(|error| ClientError::Url { url: Redactor::without_passwords(url), error })
        };
        urls.split(',').map(parse).collect()
    }

    /// Returns the URL without a final slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the host is this machine, so that nobody can read the requests on their way.
    pub fn is_this_machine(&self) -> bool {
        self.url.is_loopback()
    }

    /// Whether a token may be sent: over TLS, or in plain text to this machine alone.
    pub(crate) fn protects_token(&self) -> bool {
        self.url.is_encrypted() || self.is_this_machine()
    }

    /// Returns the host, and the port unless it is the default of the scheme.
    pub(crate) fn authority(&self) -> &str {
        self.text.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// Returns the host and the port to connect to.
    pub(crate) fn address(&self) -> String {
        let authority = self.authority();
        let end_of_host = authority.rfind(']').unwrap_or(0);
        if authority[end_of_host..].contains(':') {
            authority.to_owned()
        } else {
            format!("{authority}:{}", if self.url.is_encrypted() { 443 } else { 80 })
        }
    }

    /// Returns the name that the certificate must contain, or `None` without TLS.
    pub(crate) fn name(&self) -> Option<&ServerName<'static>> {
        self.name.as_ref()
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        let url: Url = text.parse().map_err(|_| InvalidUrl)?;
        let full = url.to_string();
        let text_without_slash = full.strip_suffix('/').unwrap_or(&full);
        let (_, authority) = text_without_slash.split_once("://").ok_or(InvalidUrl)?;
        // The parser drops a fragment.
        if text.contains('#') || authority.contains(['/', '?']) {
            return Err(InvalidUrl);
        }
        let host = match authority.strip_prefix('[') {
            Some(address) => address.split(']').next(),
            None => authority.split(':').next(),
        };
        let name = ServerName::try_from(host.unwrap_or_default().to_owned());
        let name = url.is_encrypted().then_some(name).transpose().map_err(|_| InvalidUrl)?;
        Ok(Self { text: text_without_slash.to_owned(), url, name })
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
