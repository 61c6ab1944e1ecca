//! Where something is fetched from.

use std::path::PathBuf;

use converge_core::prelude::*;
use converge_core::schema::{Kind, Shape};
use converge_core::system::{Url, UrlError};
use converge_core::value::{Conversion, FieldError, FieldErrorKind, REDACTED, ValuePath};

use crate::text::Text;

/// A source as a module writes it, and what that means.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    text: Text,
    place: Place,
}

/// Where it is.
#[derive(Clone)]
pub(crate) enum Place {
    /// On a server.
    Url(Url),
    /// On the machine.
    File(PathBuf),
}

/// A text is no source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SourceError {
    #[error("{source_text} is no URL that can be fetched: {problem}")]
    Url { source_text: String, problem: UrlError },
    #[error(
        "it holds a user name or a password: send them with `headers`, as in `Authorization = \"Basic ..\"`"
    )]
    Credentials,
    #[error(
        "{source_text} cannot be fetched, as there are no `{scheme}` sources: use http://, https://, file:// or a path"
    )]
    Scheme { source_text: String, scheme: String },
    #[error("{source_text} names a file of another machine: write file:/// and a path")]
    OtherMachine { source_text: String },
    #[error("in {source_text} a `%` is not followed by two hexadecimal digits: write %25 for it")]
    Escape { source_text: String },
}

impl Source {
    pub(super) fn new(text: Text) -> Result<Self, SourceError> {
        let source_text = || text.shown().to_owned();
        let place = match text.split_once("://") {
            Some((scheme, _)) if ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) => {
                Place::Url(text.parse().map_err(|problem| match problem {
                    UrlError::Credentials => SourceError::Credentials,
                    // It may quote a part.
                    UrlError::Host(_) if text.is_secret() => {
                        SourceError::Url { source_text: source_text(), problem: UrlError::NoHost }
                    }
                    problem => SourceError::Url { source_text: source_text(), problem },
                })?)
            }
            Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => {
                let (host, path) = path.split_at(path.find('/').unwrap_or(path.len()));
                if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) || path.len() < 2 {
                    return Err(SourceError::OtherMachine { source_text: source_text() });
                }
                let path = decoded(path).ok_or_else(|| SourceError::Escape { source_text: source_text() })?;
                Place::File(path)
            }
            Some((scheme, _))
                if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.:".contains(&byte)) =>
            {
                let scheme = if text.is_secret() { REDACTED.to_owned() } else { scheme.to_owned() };
                return Err(SourceError::Scheme { source_text: source_text(), scheme });
            }
            _ => Place::File(PathBuf::from(&*text)),
        };
        Ok(Self { text, place })
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.text.is_secret()
    }

    /// What messages call it.
    pub(crate) fn shown(&self) -> &str {
        self.text.shown()
    }
}

impl FromValue for Source {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let text = Text::from_value(value, conversion)?;
        Self::new(text).map_err(|error| {
            let kind = FieldErrorKind::Invalid { message: error.to_string() };
            vec![FieldError { path: ValuePath::default(), kind }]
        })
    }
}

impl ToValue for Source {
    fn shape() -> Shape {
        Text::shape()
    }

    fn to_value(&self) -> Value {
        self.text.to_value()
    }
}

impl std::fmt::Debug for Place {
    /// Nothing of it, as it may be secret: the text beside it knows.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Url(_) => "Url(..)",
            Self::File(_) => "File(..)",
        })
    }
}

/// The path in a `file://` URL.
fn decoded(path: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;

    let mut bytes = Vec::with_capacity(path.len());
    let mut parts = path.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        // A NUL ends a path for the machine, and so would name another file.
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|byte| *byte != 0)?);
        bytes.extend(part.bytes().skip(2));
    }
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// The headers of a request, from the field of a module.
pub(crate) type Headers = Vec<(String, Text)>;
