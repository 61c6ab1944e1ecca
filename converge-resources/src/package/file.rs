//! Packages that are files, local or fetched.
//!
//! The package manager gets a copy in a directory that nobody else may use. The hash is that of the copy, so
//! changes of the original file cannot affect the installation.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{CommitFile, LeastRate, ReadAt, TempDir};
use converge_sdk::value::FieldError;

use super::names::invalid;
use crate::net::access::Access;
use crate::net::download::{self, RequestOptions};
use crate::net::hash::{Expected, HashType};
use crate::net::source::{Location, Source};

/// The maximum number of bytes of a package.
const MAX_SIZE: u64 = 8 << 30;

/// The number of bytes of a file that are copied at once.
const PIECE: usize = 256 * 1024;

/// A file with a package.
pub(super) struct PackageFile {
    source: Source,
    expected: Option<Expected>,
    options: RequestOptions,
    /// The fetched file, shared by all checks and the apply of a run.
    fetched: Option<Arc<dyn ReadAt>>,
}

/// A temporary copy of a package, which is removed when this value is dropped.
pub(super) struct Copy {
    folder: Box<dyn TempDir>,
    path: PathBuf,
}

impl PackageFile {
    /// Creates the file from the fields of a resource.
    pub(super) fn new(source: Source, hash: Option<&str>) -> Result<Self, Vec<FieldError>> {
        let expected = hash.map(expected).transpose()?;
        if let (Location::Url(url), None) = (source.location(), &expected)
            && url.to_string().starts_with("http://")
        {
            let message = "a file from plain http can be changed on its way: write its `hash`, or use https";
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

    /// Copies the package to a file with this name, and compares its hash.
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
        // The package manager may read the copy as an unprivileged user. The directory keeps others out.
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

/// Parses the declared hash, whose length determines the function.
fn expected(text: &str) -> Result<Expected, Vec<FieldError>> {
    let (hash_name, digits) = match text.trim().split_once(':') {
        Some((name, digits)) => (Some(name.to_ascii_lowercase()), digits),
        None => (None, text.trim()),
    };
    let hash_type = match (hash_name.as_deref(), digits.len()) {
        (Some("sha256") | None, 64) => HashType::Sha256,
        (Some("sha512") | None, 128) => HashType::Sha512,
        _ => {
            let message = format!(
                "{text:?} is neither a SHA-256, which has 64 hexadecimal digits, nor a SHA-512, which has 128"
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
