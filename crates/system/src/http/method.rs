//! HTTP methods.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use converge_value::debug_as_text;

/// The method of a request.
///
/// Standard names are parsed in any case. Any other valid name is kept as written.
///
/// ```
/// use converge_core::system::{Method, MethodError};
///
/// assert_eq!("patch".parse(), Ok(Method::Patch));
/// assert_eq!("PURGE".parse::<Method>()?.to_string(), "PURGE");
/// assert!("GET /".parse::<Method>().is_err());
/// assert!(Method::Get.is_safe() && !Method::Post.is_safe());
/// # Ok::<(), MethodError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Retrieves the resource.
    #[default]
    Get,
    /// Like [`Get`](Self::Get), without the body.
    Head,
    /// Submits the body to the resource.
    Post,
    /// Replaces the resource with the body.
    Put,
    /// Modifies the resource as the body describes.
    Patch,
    /// Removes the resource.
    Delete,
    /// Returns the allowed methods.
    Options,
    /// Any other method, parsed from a text: `"PURGE".parse()`.
    Other(MethodName),
}

/// The name of a method that is not in the enum [`Method`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodName(Box<str>);

/// The reason why a text is not a valid method.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MethodError {
    /// The text is empty or has invalid characters.
    #[error("a method is a word such as GET or POST")]
    NoName,
    /// `CONNECT` opens a tunnel and has no response.
    #[error("CONNECT is not a request: a connection is made with `Network::connect`")]
    Connect,
}

debug_as_text!(MethodError);

impl Method {
    /// The methods with a variant of their own.
    const KNOWN: [Self; 7] =
        [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete, Self::Options];

    /// Returns the name as it is sent: `GET`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Other(MethodName(name)) => name,
        }
    }

    /// Whether the method only reads, by the standard, so that a check may use it.
    ///
    /// Unknown methods are not safe.
    pub fn is_safe(&self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options) || self.as_str() == "TRACE"
    }

    /// Whether repeating the request has no further effect, by the standard.
    pub fn is_idempotent(&self) -> bool {
        self.is_safe() || matches!(self, Self::Put | Self::Delete)
    }

    /// Whether a server expects a body, which may be empty.
    #[cfg(feature = "http")]
    pub(crate) fn has_body(&self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        if let Some(method) =
            Self::KNOWN.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(text))
        {
            return Ok(method);
        }
        if text.eq_ignore_ascii_case("CONNECT") {
            return Err(MethodError::Connect);
        }
        if !is_token(text) {
            return Err(MethodError::NoName);
        }
        Ok(Self::Other(MethodName(text.into())))
    }
}

/// Whether the text is a valid token of a request head.
pub(super) fn is_token(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_read() {
        let check = |written: &str, expect: Result<&str, MethodError>| {
            let read = written.parse::<Method>();
            assert_eq!(read.as_ref().map(Method::as_str), expect.as_ref().map(|name| *name), "{written:?}");
        };
        for method in Method::KNOWN {
            check(method.as_str(), Ok(method.as_str()));
            check(&method.as_str().to_lowercase(), Ok(method.as_str()));
        }
        check("PROPFIND", Ok("PROPFIND"));
        // Names of other methods are case-sensitive.
        check("purge", Ok("purge"));
        for invalid in ["", " ", "GET ", "GET /", "P\u{d6}ST", "a\nb", "a\r\nHost: b", "a:b"] {
            check(invalid, Err(MethodError::NoName));
        }
        check("connect", Err(MethodError::Connect));
    }

    #[test]
    fn what_methods_promise() {
        let check = |written: &str, expect: (bool, bool)| {
            let method: Method = written.parse().expect("a method");
            assert_eq!((method.is_safe(), method.is_idempotent()), expect, "{written}");
        };
        check("GET", (true, true));
        check("HEAD", (true, true));
        check("OPTIONS", (true, true));
        check("TRACE", (true, true));
        check("PUT", (false, true));
        check("DELETE", (false, true));
        check("POST", (false, false));
        check("PATCH", (false, false));
        check("PURGE", (false, false));
    }
}
