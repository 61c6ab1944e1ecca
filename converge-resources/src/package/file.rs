//! A package that is a file: of the machine, or fetched.
//!
//! The package manager is given a copy in a folder that nobody else may use. The hash is that of the copy, so whoever may change the
//! file changes nothing that is installed.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{CommitFile, LeastRate, ReadAt, TempDir};
use converge_core::value::FieldError;

use super::names::invalid;
use crate::net::access::Access;
use crate::net::download::{self, RequestOptions};
use crate::net::hash::{Expected, HashType};
use crate::net::source::{Location, Source};

/// The most bytes that a package may have.
const MAX_SIZE: u64 = 8 << 30;

/// How many bytes of a file are copied at once.
const PIECE: usize = 256 * 1024;

/// A file with a package.
pub(super) struct PackageFile {
    source: Source,
    expected: Option<Expected>,
    options: RequestOptions,
    /// What was fetched, once for all checks and the apply of a run.
    fetched: Option<Arc<dyn ReadAt>>,
}

/// A copy of a package, which is removed with this.
pub(super) struct Copy {
    folder: Box<dyn TempDir>,
    path: PathBuf,
}

impl PackageFile {
    /// From the fields of a resource.
    pub(super) fn new(source: Source, hash: Option<&str>) -> Result<Self, Vec<FieldError>> {
        let expected = hash.map(expected).transpose()?;
        if let (Location::Url(url), None) = (source.location(), &expected)
            && url.to_string().starts_with("http://")
        {
            let message = "what comes over plain http may be anybody's: write its `hash`, or use https";
            return Err(invalid("hash", message));
        }
        let options = RequestOptions {
            access: Access::default(),
            headers: Vec::new(),
            inactivity: None,
            least_rate: LeastRate::default(),
            max_size: MAX_SIZE,
        };
        Ok(Self { source, expected, options, fetched: None })
    }

    pub(super) fn shown(&self) -> &str {
        self.source.shown()
    }

    /// Makes the copy, in a file of this name, and compares its hash.
    pub(super) async fn copy(&mut self, cx: &Context, name: &str) -> Result<Copy> {
        let file: Arc<dyn ReadAt> = match (self.source.location(), &self.fetched) {
            (Location::File(path), _) => Arc::from(self.source.open(cx, path).await?),
            (Location::Url(_), Some(fetched)) => Arc::clone(fetched),
            (Location::Url(url), None) => {
                let receive = || download::receive(cx, &self.options, &self.source, url);
                let fetched = download::with_retries(cx, receive).await?;
                self.fetched = Some(Arc::clone(&fetched));
                fetched
            }
        };
        let folder = cx.system().files().temp_dir().await?;
        let path = folder.path().join(name);
        let mut staged = cx.system().files().stage(&path).await?;
        let mut hasher = self.expected.as_ref().map(|expected| expected.hash_type.hasher());
        let (mut buffer, mut offset) = (vec![0; PIECE], 0);
        loop {
            cx.check_cancelled()?;
            let count = file.read_at(offset, &mut buffer).await?;
            let piece = buffer.get(..count).unwrap_or_default();
            if piece.is_empty() {
                break;
            }
            if let Some(hasher) = &mut hasher {
                hasher.update(piece);
            }
            staged.write(piece).await?;
            offset += count as u64;
        }
        if let Some((expected, hasher)) = self.expected.as_ref().zip(hasher) {
            expected.check(self.source.shown(), &hasher.finish()).map_err(Error::msg)?;
        }
        // The user as whom a package manager may read it has no other way to it.
        staged.commit(CommitFile { mode: Some(0o644), ..CommitFile::default() }).await?;
        Ok(Copy { folder, path })
    }
}

impl Copy {
    pub(super) fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    pub(super) async fn remove(self) -> Result<()> {
        Ok(self.folder.remove().await?)
    }
}

/// The hash that is written: its length says of which function it is.
fn expected(text: &str) -> Result<Expected, Vec<FieldError>> {
    let (named, digits) = match text.trim().split_once(':') {
        Some((name, digits)) => (Some(name.to_ascii_lowercase()), digits),
        None => (None, text.trim()),
    };
    let hash_type = match (named.as_deref(), digits.len()) {
        (Some("sha256") | None, 64) => HashType::Sha256,
        (Some("sha512") | None, 128) => HashType::Sha512,
        _ => {
            let message = format!(
                "{text:?} is no SHA-256, which has 64 hexadecimal digits, and no SHA-512, which has 128"
            );
            return Err(invalid("hash", &message));
        }
    };
    let expected = Expected::new(Some(hash_type), Some(digits)).map_err(|error| vec![error])?;
    expected.ok_or_else(|| invalid("hash", "it is empty"))
}

impl fmt::Debug for PackageFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackageFile").field("source", &self.source).finish_non_exhaustive()
    }
}

impl fmt::Debug for Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copy").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes() {
        let check = |text: &str, expect: Option<HashType>| {
            assert_eq!(expected(text).ok().map(|expected| expected.hash_type), expect, "{text}");
        };
        let (short, long) = ("ab".repeat(32), "0F".repeat(64));
        check(&short, Some(HashType::Sha256));
        check(&format!(" sha256:{short}"), Some(HashType::Sha256));
        check(&long, Some(HashType::Sha512));
        check(&format!("SHA512:{long}"), Some(HashType::Sha512));
        for text in
            ["", "ab", &format!("sha512:{short}"), &format!("md5:{}", "ab".repeat(16)), &"zz".repeat(32)]
        {
            check(text, None);
        }
    }
}
