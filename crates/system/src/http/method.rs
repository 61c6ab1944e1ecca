//! What is asked of a server.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What a server is asked to do with what a URL names.
///
/// The names of the standard are read in any case; any other name is taken as it is written, when it can be one.
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
    /// Gives what is there.
    #[default]
    Get,
    /// As [`Get`](Self::Get), without the body.
    Head,
    /// Does with the body what the place is for.
    Post,
    /// Puts the body in the place of what is there.
    Put,
    /// Changes what is there by the body.
    Patch,
    /// Removes what is there.
    Delete,
    /// Says what can be asked.
    Options,
    /// Another one: `"PURGE".parse()` gives it.
    Other(MethodName),
}

/// The name of a method that is not in the enum [`Method`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodName(Box<str>);

/// What is no method.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MethodError {
    /// It is empty, or has characters that no method has.
    #[error("a method is a word such as GET or POST")]
    NoName,
    /// `CONNECT` asks for a tunnel, and not for an answer.
    #[error("CONNECT is no request: a connection is made with `Network::connect`")]
    Connect,
}

impl Method {
    /// All that have a variant of their own.
    const KNOWN: [Self; 7] =
        [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete, Self::Options];

    /// As it is sent: `GET`.
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

    /// Whether it only looks, by the standard: a check may ask with it. Nobody knows what another one does.
    pub fn is_safe(&self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options) || self.as_str() == "TRACE"
    }

    /// Whether asking twice is the same as asking once, by the standard.
    pub fn is_idempotent(&self) -> bool {
        self.is_safe() || matches!(self, Self::Put | Self::Delete)
    }

    /// Whether a server expects a body, be it an empty one.
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

    fn from_str(written: &str) -> Result<Self, MethodError> {
        if let Some(known) =
            Self::KNOWN.into_iter().find(|known| known.as_str().eq_ignore_ascii_case(written))
        {
            return Ok(known);
        }
        if written.eq_ignore_ascii_case("CONNECT") {
            return Err(MethodError::Connect);
        }
        if !is_token(written) {
            return Err(MethodError::NoName);
        }
        Ok(Self::Other(MethodName(written.into())))
    }
}

/// Whether it can be a name in the head of a request.
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
        for known in Method::KNOWN {
            check(known.as_str(), Ok(known.as_str()));
            check(&known.as_str().to_lowercase(), Ok(known.as_str()));
        }
        check("PROPFIND", Ok("PROPFIND"));
        // Case is a part of the names that are not the standard's.
        check("purge", Ok("purge"));
        for wrong in ["", " ", "GET ", "GET /", "P\u{d6}ST", "a\nb", "a\r\nHost: b", "a:b"] {
            check(wrong, Err(MethodError::NoName));
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
