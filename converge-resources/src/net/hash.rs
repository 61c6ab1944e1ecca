//! Hashes that a module expects.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{ReadAt, SystemError};
use converge_core::value::{FieldError, FieldErrorKind};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

/// How many bytes of a file are hashed at once.
const PIECE: usize = 256 * 1024;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum HashType {
    /// MD5: no protection from anybody who means harm.
    Md5,
    /// SHA-1: no protection from anybody who means harm.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

impl HashType {
    /// How many hexadecimal digits it has.
    fn digits(self) -> usize {
        match self {
            Self::Md5 => 32,
            Self::Sha1 => 40,
            Self::Sha256 => 64,
            Self::Sha512 => 128,
        }
    }

    pub(crate) fn hasher(self) -> Hasher {
        match self {
            Self::Md5 => Hasher::Md5(Md5::new()),
            Self::Sha1 => Hasher::Sha1(Sha1::new()),
            Self::Sha256 => Hasher::Sha256(Sha256::new()),
            Self::Sha512 => Hasher::Sha512(Sha512::new()),
        }
    }

    /// The hash of a file, which a thread that may wait reads.
    pub(crate) async fn of(self, file: Arc<dyn ReadAt>) -> Result<Hash> {
        let handle = tokio::runtime::Handle::current();
        let read = tokio::task::spawn_blocking(move || -> Result<Hash, SystemError> {
            let mut hasher = self.hasher();
            let mut buffer = vec![0; PIECE];
            let mut offset = 0;
            loop {
                match handle.block_on(file.read_at(offset, &mut buffer))? {
                    0 => return Ok(hasher.finish()),
                    count => {
                        hasher.update(&buffer[..count]);
                        offset += count as u64;
                    }
                }
            }
        });
        Ok(read.await.map_err(Error::other)??)
    }
}

impl fmt::Display for HashType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
        })
    }
}

/// A hash in the making.
#[derive(Clone, Debug)]
pub(crate) enum Hasher {
    Md5(Md5),
    Sha1(Sha1),
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Md5(hasher) => hasher.update(bytes),
            Self::Sha1(hasher) => hasher.update(bytes),
            Self::Sha256(hasher) => hasher.update(bytes),
            Self::Sha512(hasher) => hasher.update(bytes),
        }
    }

    pub(crate) fn finish(self) -> Hash {
        let bytes = match self {
            Self::Md5(hasher) => hasher.finalize().to_vec(),
            Self::Sha1(hasher) => hasher.finalize().to_vec(),
            Self::Sha256(hasher) => hasher.finalize().to_vec(),
            Self::Sha512(hasher) => hasher.finalize().to_vec(),
        };
        let mut digits = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            // Text takes whatever is written to it.
            let _ = write!(digits, "{byte:02x}");
        }
        Hash(digits)
    }
}

/// A hash as hexadecimal digits in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hash(String);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the content has to hash to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) hash_type: HashType,
    pub(crate) hash: Hash,
}

/// A content is not the one that is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} has the {} {found}, and {} is expected", .expected.hash_type, .expected.hash)]
pub(crate) struct Mismatch {
    what: String,
    found: Hash,
    expected: Expected,
}

impl Expected {
    /// From the two fields, which are there both or not at all.
    ///
    /// # Errors
    ///
    /// What is expected is no hash of this type.
    pub(crate) fn new(hash_type: Option<HashType>, hash: Option<&str>) -> Result<Option<Self>, FieldError> {
        let Some((hash_type, hash)) = hash_type.zip(hash) else { return Ok(None) };
        let digits = hash.trim().to_ascii_lowercase();
        if digits.len() != hash_type.digits() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            let message =
                format!("{hash:?} is no {hash_type}, which has {} hexadecimal digits", hash_type.digits());
            return Err(FieldError::new("hash", FieldErrorKind::Invalid { message }));
        }
        Ok(Some(Self { hash_type, hash: Hash(digits) }))
    }

    /// Compares with what was found; `what` is what has this hash.
    ///
    /// # Errors
    ///
    /// [`Mismatch`].
    pub(crate) fn check(&self, what: &str, found: Hash) -> Result<(), Mismatch> {
        if found == self.hash {
            return Ok(());
        }
        Err(Mismatch { what: what.to_owned(), found, expected: self.clone() })
    }
}
