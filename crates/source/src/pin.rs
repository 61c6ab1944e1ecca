//! URLs of modules, and the hashes that pin their content.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::system::http::{Url, UrlError};
use converge_value::debug_as_text;

/// The error in an `http://` or `https://` URL of a module.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SourceUrlError {
    /// The URL cannot be fetched.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The given hash is not a SHA-256.
    #[error("`{0}` is not a SHA-256")]
    Hash(String),
    /// The fragment after `#` is not a pin.
    #[error("`#{0}` is not a pin")]
    Pin(String),
    /// The URL of a folder has something after its path.
    #[error("it ends in `{0}`, so it is not a folder")]
    NoFolder(String),
}

debug_as_text!(SourceUrlError);

impl SourceUrlError {
    pub(super) fn help(&self) -> String {
        match self {
            Self::Url(UrlError::Credentials) => {
                "remove the user name and the password: a URL is shown in messages and kept in the cache"
                    .to_owned()
            }
            Self::Url(_) => "write it like https://example.com/site.hcl".to_owned(),
            Self::NoFolder(_) => "remove the query: names of modules are added to the path".to_owned(),
            Self::Hash(_) => "write 64 hexadecimal digits".to_owned(),
            Self::Pin(_) => "a pin is #sha256= and 64 hexadecimal digits".to_owned(),
        }
    }
}

/// The SHA-256 of a content.
///
/// ```
/// use converge_core::load::{ContentHash, SourceUrlError};
///
/// // As `sha256sum` prints it.
/// let hash: ContentHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".parse()?;
/// assert_eq!(hash, ContentHash::from_content(b""));
/// assert!("e3b0".parse::<ContentHash>().is_err());
/// # Ok::<(), SourceUrlError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Computes the hash of these bytes.
    pub fn from_content(content: &[u8]) -> Self {
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
    type Err = SourceUrlError;

    fn from_str(text: &str) -> Result<Self, SourceUrlError> {
        let hash_error = || SourceUrlError::Hash(text.to_owned());
        let mut hash = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(hash_error());
        }
        for (index, byte) in hash.iter_mut().enumerate() {
            let digits = text.get(index * 2..index * 2 + 2).ok_or_else(hash_error)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| hash_error())?;
        }
        Ok(Self(hash))
    }
}

/// A URL, and the hash that its content must have.
pub(super) type Pinned = (Url, Option<ContentHash>);

pub(super) fn parse(reference: &str) -> Result<Pinned, SourceUrlError> {
    let (reference, pin) = without_pin(reference)?;
    Ok((reference.parse()?, pin))
}

/// Resolves `written`, which is not an absolute URL, relative to the module at `base`.
pub(super) fn join(base: &Url, reference: &str) -> Result<Pinned, SourceUrlError> {
    let (reference, pin) = without_pin(reference)?;
    Ok((base.join(reference)?, pin))
}

/// Returns whether URLs of this scheme can be fetched.
pub(super) fn is_http(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn without_pin(reference: &str) -> Result<(&str, Option<ContentHash>), SourceUrlError> {
    let Some((rest, pin)) = reference.split_once('#') else { return Ok((reference, None)) };
    let hash = pin.strip_prefix("sha256=").and_then(|hash| hash.parse().ok());
    hash.map_or_else(|| Err(SourceUrlError::Pin(pin.to_owned())), |hash| Ok((rest, Some(hash))))
}
