use std::fmt::{self, Write as _};
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ReadAt, SystemError};
use converge_sdk::value::{FieldError, FieldErrorKind};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Sha256, Sha384, Sha512};

/// The number of bytes of a file that are hashed at once.
const PIECE: usize = 256 * 1024;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum HashType {
    /// MD5, which gives no protection from attackers.
    Md5,
    /// SHA-1, which gives no protection from attackers.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl HashType {
    fn digits(self) -> usize {
        2 * self.hasher().0.output_size()
    }

    pub(crate) fn hasher(self) -> Hasher {
        Hasher(match self {
            Self::Md5 => Box::new(Md5::default()),
            Self::Sha1 => Box::new(Sha1::default()),
            Self::Sha256 => Box::new(Sha256::default()),
            Self::Sha384 => Box::new(Sha384::default()),
            Self::Sha512 => Box::new(Sha512::default()),
        })
    }

    /// Returns the hash of a file, read on a blocking thread.
    pub(crate) async fn hash_file(self, file: Arc<dyn ReadAt>) -> Result<Hash> {
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
        f.write_str(self.as_str())
    }
}

/// A hash computation for bytes that arrive in pieces.
pub(crate) struct Hasher(Box<dyn DynDigest + Send>);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Hash {
        let mut digits = String::with_capacity(2 * self.0.output_size());
        for byte in self.0.finalize() {
            // Writing to a string does not fail.
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

/// The expected hash of some content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) hash_type: HashType,
    pub(crate) hash: Hash,
}

impl Expected {
    /// Combines the two fields, of which a module gives both or none.
    pub(crate) fn new(hash_type: Option<HashType>, hash: Option<&str>) -> Result<Option<Self>, FieldError> {
        let Some((hash_type, hash)) = hash_type.zip(hash) else { return Ok(None) };
        let digits = hash.trim().to_ascii_lowercase();
        if digits.len() != hash_type.digits() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            let message = format!(
                "{hash:?} is not a hash of type {hash_type}, which has {} hexadecimal digits",
                hash_type.digits()
            );
            return Err(FieldError::new("hash", FieldErrorKind::Invalid { message }));
        }
        Ok(Some(Self { hash_type, hash: Hash(digits) }))
    }

    /// Compares the hash with the one found; `what` names the content in the error.
    pub(crate) fn check(&self, subject: &str, actual: &Hash) -> Result<(), String> {
        if *actual == self.hash {
            return Ok(());
        }
        Err(format!("{subject} has the {} {actual}, and {} is expected", self.hash_type, self.hash))
    }
}
