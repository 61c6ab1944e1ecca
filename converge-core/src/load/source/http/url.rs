//! URLs of modules, and what their content is pinned to.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// What is wrong with an `http://` or `https://` URL.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrlError {
    /// There is no host where one belongs.
    #[error("it names no host")]
    NoHost,
    /// The host or the port is none.
    #[error("`{0}` is no host")]
    Host(String),
    /// There is a user name or a password.
    #[error("it holds a user name or a password")]
    Credentials,
    /// What follows `#` is no pin.
    #[error("`#{0}` is no pin")]
    Pin(String),
}

impl UrlError {
    pub(in crate::load::source) fn help(&self) -> String {
        match self {
            Self::NoHost | Self::Host(_) => "write it like https://example.com/site.hcl".to_owned(),
            Self::Credentials => {
                "leave them out: a URL is shown in messages and kept in the cache".to_owned()
            }
            Self::Pin(_) => "a pin is #sha256= and 64 hexadecimal digits".to_owned(),
        }
    }
}

/// The SHA-256 of a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub(super) fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for ContentHash {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut hash = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(());
        }
        for (at, byte) in hash.iter_mut().enumerate() {
            let digits = text.get(at * 2..at * 2 + 2).ok_or(())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| ())?;
        }
        Ok(Self(hash))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scheme {
    Http,
    Https,
}

/// An absolute URL in one spelling: no `.` and `..`, no default port, the host in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::load::source) struct Url {
    scheme: Scheme,
    /// The host, with the port when it is not that of the scheme.
    authority: String,
    /// Begins with `/`.
    path: String,
    query: Option<String>,
}

/// A URL, and the hash that its content must have.
pub(in crate::load::source) type Pinned = (Url, Option<ContentHash>);

impl Url {
    /// Reads an absolute URL.
    pub(in crate::load::source) fn parse(written: &str) -> Result<Pinned, UrlError> {
        let (scheme, rest) = written.split_once("://").ok_or(UrlError::NoHost)?;
        let scheme = if scheme.eq_ignore_ascii_case("https") { Scheme::Https } else { Scheme::Http };
        let (rest, pin) = without_pin(rest)?;
        Ok((Self::after_scheme(scheme, rest)?, pin))
    }

    /// What `written`, which is no absolute URL, means in the module at this one.
    pub(in crate::load::source) fn join(&self, written: &str) -> Result<Pinned, UrlError> {
        let (written, pin) = without_pin(written)?;
        if let Some(rest) = written.strip_prefix("//") {
            return Ok((Self::after_scheme(self.scheme, rest)?, pin));
        }
        let (path, query) = divided(written);
        let path = match path {
            "" => self.path.clone(),
            path if path.starts_with('/') => path.to_owned(),
            path => format!("{}{path}", &self.path[..=self.path.rfind('/').unwrap_or(0)]),
        };
        let url = Self {
            scheme: self.scheme,
            authority: self.authority.clone(),
            path: straight(&encoded(&path)),
            query: query.map(encoded),
        };
        Ok((url, pin))
    }

    /// What a redirect from here leads to; `None` when it leads to no place that can be asked.
    pub(super) fn redirect(&self, to: &str) -> Option<Self> {
        let to = to.split('#').next().unwrap_or_default();
        let (url, _) = match super::super::scheme(to) {
            Some(scheme) if is_http(scheme) => Self::parse(to).ok()?,
            Some(_) => return None,
            None => self.join(to).ok()?,
        };
        Some(url)
    }

    pub(super) fn scheme(&self) -> Scheme {
        self.scheme
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

/// Whether this is a scheme of URLs that are fetched.
pub(in crate::load::source) fn is_http(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn without_pin(written: &str) -> Result<(&str, Option<ContentHash>), UrlError> {
    let Some((rest, pin)) = written.split_once('#') else { return Ok((written, None)) };
    let hash = pin.strip_prefix("sha256=").and_then(|hash| hash.parse().ok());
    hash.map_or_else(|| Err(UrlError::Pin(pin.to_owned())), |hash| Ok((rest, Some(hash))))
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
