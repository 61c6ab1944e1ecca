//! URLs that are fetched.
//!
//! A parser of our own: a crate for URLs brings tables for hosts that are not ASCII, which are written in their ASCII
//! form here.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use thiserror::Error;

/// What is wrong with an `http://` or `https://` URL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// It begins neither with `http://` nor with `https://`.
    #[error("it begins neither with http:// nor with https://")]
    Scheme,
    /// There is no host where one belongs.
    #[error("it names no host")]
    NoHost,
    /// The host or the port is none.
    #[error("`{0}` is no host")]
    Host(String),
    /// There is a user name or a password.
    #[error("it holds a user name or a password")]
    Credentials,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// An absolute `http://` or `https://` URL in one spelling: no `.` and `..`, no default port, the host in lower case,
/// nothing after `#`.
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
    /// The host, with the port when it is not that of the scheme.
    authority: String,
    /// Begins with `/`.
    path: String,
    query: Option<String>,
}

impl Url {
    /// What `written`, which is no absolute URL, means in the document at this one.
    #[cfg(any(test, feature = "http", feature = "testing"))]
    #[doc(hidden)]
    pub fn join(&self, written: &str) -> Result<Self, UrlError> {
        let written = without_fragment(written);
        if let Some(rest) = written.strip_prefix("//") {
            return Self::after_scheme(self.scheme, rest);
        }
        let (path, query) = divided(written);
        let path = match path {
            "" => self.path.clone(),
            path if path.starts_with('/') => path.to_owned(),
            path => format!("{}{path}", &self.path[..=self.path.rfind('/').unwrap_or(0)]),
        };
        Ok(Self {
            scheme: self.scheme,
            authority: self.authority.clone(),
            path: straight(&encoded(&path)),
            query: query.map(encoded),
        })
    }

    /// What a redirect from here leads to; `None` when it leads to no place that can be asked.
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

    /// The host, with the port when it is not that of the scheme.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether it is asked of this machine, and so no other machine can be in between: the host is `localhost`, or an address of the loopback
    /// interface.
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

    /// Whether what is asked of it is encrypted on its way.
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

    /// Whether both are asked of the same server: scheme, host and port are the same.
    pub fn same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.authority) == (other.scheme, &other.authority)
    }

    /// What has this path below this URL, which ends in `/`. In the path only `/` has a meaning.
    #[cfg(feature = "http")]
    #[doc(hidden)]
    pub fn below(&self, path: &str) -> Self {
        let mut at = self.clone();
        for byte in path.bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
                at.path.push(char::from(byte));
            } else {
                let _ = write!(at.path, "%{byte:02X}");
            }
        }
        at
    }

    /// Whether it is below another, which ends in `/`, also for a server that takes escaped dots and slashes, and backslashes, for
    /// what leads from folder to folder.
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
            path: straight(&encoded(path)),
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

    /// Reads an absolute URL.
    fn from_str(written: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = written.split_once("://").ok_or(UrlError::Scheme)?;
        let scheme = match scheme {
            scheme if scheme.eq_ignore_ascii_case("https") => Scheme::Https,
            scheme if scheme.eq_ignore_ascii_case("http") => Scheme::Http,
            _ => return Err(UrlError::Scheme),
        };
        Self::after_scheme(scheme, without_fragment(rest))
    }
}

/// Whether a host, with a port or without, is this machine.
pub(crate) fn is_this_machine(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next(),
        None => authority.split(':').next(),
    };
    let host = host.unwrap_or_default();
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// The part before `://`, when that looks like the scheme of a URL rather than a part of a path.
#[doc(hidden)]
pub fn scheme(written: &str) -> Option<&str> {
    let (scheme, _) = written.split_once("://")?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b':');
    let begins = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    (begins && scheme.bytes().all(allowed)).then_some(scheme)
}

/// A fragment is for whoever reads the document, and not for the server.
fn without_fragment(written: &str) -> &str {
    written.split_once('#').map_or(written, |(rest, _)| rest)
}

fn divided(written: &str) -> (&str, Option<&str>) {
    written.split_once('?').map_or((written, None), |(path, query)| (path, Some(query)))
}

fn host_and_port(scheme: Scheme, authority: &str) -> Result<String, UrlError> {
    if authority.contains('@') {
        return Err(UrlError::Credentials);
    }
    if authority.is_empty() {
        return Err(UrlError::NoHost);
    }
    let wrong = || UrlError::Host(authority.to_owned());
    // The colons of an IPv6 address are within brackets.
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
        return Err(wrong());
    }
    let host = host.to_ascii_lowercase();
    let port = match port.filter(|port| !port.is_empty()) {
        Some(port) => Some(port.parse::<u16>().map_err(|_| wrong())?),
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

/// The text with what may not stand in a URL as escapes.
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

/// The path, which begins with `/`, without `.` and `..`.
fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = path.split('/').skip(1).peekable();
    while let Some(part) = rest.next() {
        let is_last = rest.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    parts.pop();
                }
                // It ends in a folder.
                if is_last {
                    parts.push("");
                }
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
