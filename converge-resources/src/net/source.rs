use std::path::{Path, PathBuf};

use converge_sdk::footprint::Names;
use converge_sdk::prelude::*;
use converge_sdk::schema::{Kind, Shape};
use converge_sdk::system::{ReadAt, Url, UrlError};
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, REDACTED, ValuePath};

use crate::text::Text;

/// A source as a module declares it, with its parsed location.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    text: Text,
    location: Location,
}

#[derive(Clone)]
pub(crate) enum Location {
    Url(Url),
    File(PathBuf),
}

/// The footprint has the file; a URL names nothing on the machine.
impl Names for Source {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        if let (Location::File(path), false) = (&self.location, self.text.is_secret())
            && let Some(path) = path.to_str()
        {
            add(path);
        }
    }
}

impl Source {
    pub(crate) fn new(text: Text) -> Result<Self, String> {
        let display = text.shown();
        let location = match text.split_once("://") {
            Some((scheme, _)) if ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) => {
                Location::Url(text.parse().map_err(|problem| {
                    let problem = match problem {
                        UrlError::Credentials => {
                            return "it holds a user name or a password: write them in `auth`".to_owned();
                        }
                        // The error may quote a part of the text.
                        UrlError::Host(_) if text.is_secret() => UrlError::NoHost,
                        problem => problem,
                    };
                    format!("{display} is not a URL that can be fetched: {problem}")
                })?)
            }
            Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => {
                let (host, path) = path.split_at(path.find('/').unwrap_or(path.len()));
                if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) || path.len() < 2 {
                    return Err(format!(
                        "{display} names a file of another machine: write file:/// and a path"
                    ));
                }
                Location::File(decoded(path).ok_or_else(|| {
                    format!("in {display} a `%` is not followed by two hexadecimal digits: write %25 for it")
                })?)
            }
            Some((scheme, _))
                if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.:".contains(&byte)) =>
            {
                let scheme = if text.is_secret() { REDACTED } else { scheme };
                return Err(format!(
                    "{display} cannot be fetched, as there are no `{scheme}` sources: use http://, https://, file:// \
                     or a path"
                ));
            }
            _ => Location::File(PathBuf::from(&*text)),
        };
        Ok(Self { text, location })
    }

    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    pub(crate) async fn open(&self, cx: &Context, path: &Path) -> Result<Box<dyn ReadAt>> {
        let not_found = || Error::NotFound { kind: "file", name: self.shown().to_owned() };
        cx.system().files().open(path).await?.ok_or_else(not_found)
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.text.is_secret()
    }

    /// Returns the source in the form that messages may show.
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
        Self::new(text).map_err(|message| {
            let kind = FieldErrorKind::Invalid { message };
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

impl std::fmt::Debug for Location {
    /// Shows nothing, because the location may be secret; the text beside it redacts itself.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Url(_) => "Url(..)",
            Self::File(_) => "File(..)",
        })
    }
}

/// Decodes the path of a `file://` URL.
fn decoded(path: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut parts = path.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        // The system ends a path at a NUL, so the path would name another file.
        bytes.push(u8::from_str_radix(digits, 16).ok().filter(|byte| *byte != 0)?);
        bytes.extend(part.bytes().skip(2));
    }
    path_of(bytes)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a path is text")]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;

    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
