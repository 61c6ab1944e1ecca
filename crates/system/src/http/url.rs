//! URLs of HTTP requests.
//!
//! The parser is our own, because URL crates bring tables for non-ASCII host names. Such names must be
//! written in their ASCII form here.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use thiserror::Error;

use converge_value::debug_as_text;

/// The reason why a text is not a valid `http://` or `https://` URL.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The text begins neither with `http://` nor with `https://`.
    #[error("it begins neither with http:// nor with https://")]
    Scheme,
    /// The host is missing.
    #[error("it names no host")]
    NoHost,
    /// The host or the port is invalid.
    #[error("`{0}` is not a host")]
    Host(String),
    /// The URL contains a user name or a password.
    #[error("it holds a user name or a password")]
    Credentials,
}

debug_as_text!(UrlError);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// An absolute, normalized `http://` or `https://` URL.
///
/// The URL has no `.` or `..`, no default port, a lower-case host and no fragment.
///
/// ```
/// use converge_core::system::{Url, UrlError};
///
/// let url: Url = "HTTPS://Example.com:443/a/../b c?x=1#top".parse()?;
/// assert_eq!(url.to_string(), "https://example.com/b%20c?x=1");
/// assert_eq!("https://me:secret@example.com/".parse::<Url>(), Err(UrlError::Credentials));
/// # Ok::<(), UrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Url {
    scheme: Scheme,
    /// The host, and the port unless it is the default of the scheme.
    authority: String,
    /// The path, which begins with `/`.
    path: String,
    query: Option<String>,
}

impl Url {
    /// Resolves a relative URL against this one.
    #[cfg(any(test, feature = "http", feature = "testing"))]
    #[doc(hidden)]
    pub fn join(&self, text: &str) -> Result<Self, UrlError> {
        let text = without_fragment(text);
        if let Some(rest) = text.strip_prefix("//") {
            return Self::after_scheme(self.scheme, rest);
        }
        let (path, query) = divided(text);
        let path = match path {
            "" => self.path.clone(),
            path if path.starts_with('/') => path.to_owned(),
            path => format!("{}{path}", &self.path[..=self.path.rfind('/').unwrap_or(0)]),
        };
        Ok(Self {
            scheme: self.scheme,
            authority: self.authority.clone(),
            path: normalize_path(&encoded(&path)),
            query: query.map(encoded),
        })
    }

    /// Returns the target of a redirect; `None` if it is not a valid HTTP URL.
    #[cfg(any(test, feature = "http", feature = "testing"))]
    pub(crate) fn redirect(&self, to: &str) -> Option<Self> {
        match scheme(to) {
            Some(_) => to.parse().ok(),
            None => self.join(to).ok(),
        }
    }

    #[cfg(any(test, feature = "http", feature = "testing"))]
    pub(crate) fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the host, and the port unless it is the default of the scheme.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether the host is `localhost` or a loopback address, so that requests do not leave this machine.
    ///
    /// ```
    /// use converge_core::system::Url;
    ///
    /// assert!("http://localhost:8500/".parse::<Url>()?.is_loopback());
    /// assert!("http://[::1]/".parse::<Url>()?.is_loopback());
    /// assert!(!"http://localhost.example.com/".parse::<Url>()?.is_loopback());
    /// # Ok::<(), converge_core::system::UrlError>(())
    /// ```
    pub fn is_loopback(&self) -> bool {
        is_this_machine(&self.authority)
    }

    /// Whether requests to it are encrypted.
    ///
    /// ```
    /// use converge_core::system::Url;
    ///
    /// assert!("https://a.test/".parse::<Url>()?.is_encrypted());
    /// assert!(!"http://a.test/".parse::<Url>()?.is_encrypted());
    /// # Ok::<(), converge_core::system::UrlError>(())
    /// ```
    pub fn is_encrypted(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// Whether both have the same scheme, host and port.
    pub fn same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.authority) == (other.scheme, &other.authority)
    }

    /// Appends a path to this URL, which ends in `/`.
    ///
    /// All special characters of the path except `/` are escaped.
    #[cfg(feature = "http")]
    #[doc(hidden)]
    pub fn below(&self, path: &str) -> Self {
        let mut url = self.clone();
        for byte in path.bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
                url.path.push(char::from(byte));
            } else {
                let _ = write!(url.path, "%{byte:02X}");
            }
        }
        url
    }

    /// Whether it is below `folder`, which ends in `/`.
    ///
    /// URLs with escaped dots, slashes or backslashes are refused, as some servers treat those as path
    /// separators.
    #[cfg(feature = "http")]
    #[doc(hidden)]
    pub fn is_below(&self, folder: &Self) -> bool {
        let Some(rest) = self.path.strip_prefix(&folder.path) else { return false };
        let rest = rest.to_ascii_lowercase();
        self.same_origin(folder) && !["%2e", "%2f", "%5c"].iter().any(|hidden| rest.contains(hidden))
    }

    fn after_scheme(scheme: Scheme, rest: &str) -> Result<Self, UrlError> {
        let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (path, query) = divided(rest);
        let path = if path.is_empty() { "/" } else { path };
        Ok(Self {
            scheme,
            authority: host_and_port(scheme, authority)?,
            path: normalize_path(&encoded(path)),
            query: query.map(encoded),
        })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}{}", self.authority, self.path)?;
        self.query.as_ref().map_or(Ok(()), |query| write!(f, "?{query}"))
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::Scheme)?;
        let scheme = match scheme {
            scheme if scheme.eq_ignore_ascii_case("https") => Scheme::Https,
            scheme if scheme.eq_ignore_ascii_case("http") => Scheme::Http,
            _ => return Err(UrlError::Scheme),
        };
        Self::after_scheme(scheme, without_fragment(rest))
    }
}

/// Whether a host, with or without port, is this machine.
pub(crate) fn is_this_machine(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next(),
        None => authority.split(':').next(),
    };
    let host = host.unwrap_or_default();
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Returns the part before `://` if it looks like the scheme of a URL rather than a part of a path.
#[doc(hidden)]
pub fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b':');
    let has_letter_first = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    (has_letter_first && scheme.bytes().all(allowed)).then_some(scheme)
}

/// Removes the fragment, which is never sent to the server.
fn without_fragment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(rest, _)| rest)
}

fn divided(text: &str) -> (&str, Option<&str>) {
    text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)))
}

fn host_and_port(scheme: Scheme, authority: &str) -> Result<String, UrlError> {
    if authority.contains('@') {
        return Err(UrlError::Credentials);
    }
    if authority.is_empty() {
        return Err(UrlError::NoHost);
    }
    let host_error = || UrlError::Host(authority.to_owned());
    // An IPv6 address has colons within brackets.
    let end_of_host = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    let colon = authority[end_of_host..].find(':').map(|colon| end_of_host + colon);
    let (host, port) =
        colon.map_or((authority, None), |colon| (&authority[..colon], Some(&authority[colon + 1..])));
    let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        }
    };
    if !is_host {
        return Err(host_error());
    }
    let host = host.to_ascii_lowercase();
    let port = match port.filter(|port| !port.is_empty()) {
        Some(port) => Some(port.parse::<u16>().map_err(|_| host_error())?),
        None => None,
    };
    let usual = match scheme {
        Scheme::Http => 80,
        Scheme::Https => 443,
    };
    Ok(match port.filter(|port| *port != usual) {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

/// Escapes characters that are not allowed in a URL.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for character in text.chars() {
        let allowed = character.is_ascii_graphic()
            && !matches!(character, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
        if allowed {
            encoded.push(character);
        } else {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

/// Removes `.` and `..` from a path that begins with `/`.
fn normalize_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = path.split('/').skip(1).peekable();
    while let Some(part) = rest.next() {
        let is_last = rest.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    parts.pop();
                }
                // The path ends in a slash then.
                if is_last {
                    parts.push("");
                }
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
