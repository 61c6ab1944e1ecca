//! The encryption of secrets, which makes stored data useless without a separate key.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use converge_controller::Id;
use converge_core::debug_as_text;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};

use crate::identity::hexadecimal;

/// The length of a key in bytes.
const BYTES: usize = 32;
/// The number of digits of a key's id.
const DIGITS: usize = 16;
/// The purpose of these ciphertexts and hashes, which separates them from any other use of a key.
const PURPOSE: &[u8] = b"converge.v1.Secret";

/// The keys of a server for secrets.
///
/// The first key encrypts, and all keys decrypt.
///
/// ```
/// use converge_server::SecretKeys;
///
/// let keys = SecretKeys::parse("# of 2027\n4f0c1d8a6be35297b1f0a4c89d3e7256084b9fc2d17ae653f8130db49c62e57a\n");
/// assert!(keys.is_ok());
/// assert_eq!(SecretKeys::parse("hunter2").unwrap_err().to_string(), "line 1 is not a key: 64 hexadecimal digits");
/// ```
pub struct SecretKeys(Vec<Key>);

struct Key {
    /// The id of the key, which is stored with each ciphertext.
    id: String,
    key: LessSafeKey,
}

/// A reason why a text contains no keys.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKeys {
    /// A line is not a key.
    #[error("line {line} is not a key: 64 hexadecimal digits")]
    Line {
        /// The line number, from 1.
        line: usize,
    },
    /// The text has no key.
    #[error("there is no key in it: a line of 64 hexadecimal digits")]
    None,
}

debug_as_text!(InvalidKeys);

/// A ciphertext and the id of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) key: String,
    pub(crate) bytes: Vec<u8>,
}

/// A reason why a secret was not encrypted or decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SealError {
    #[error(
        "this server has no key for secrets: (umask 077; openssl rand -hex 32 > FILE) makes one, and `converge server --secrets-key FILE` \
         takes it; all servers of a store need the same"
    )]
    NoKey,
    #[error("it was sealed with a key that this server does not have: add that to its file of keys")]
    OtherKey,
    #[error("it was not sealed under this name by a key of this server, or was changed since")]
    NotSealed,
    #[error("the system gives no random numbers")]
    Random,
}

/// The current keys of a server, if it has any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seal(Arc<RwLock<Option<Arc<SecretKeys>>>>);

impl SecretKeys {
    /// Parses the keys of a file: one per line, as 64 hexadecimal digits.
    ///
    /// Empty lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    ///
    /// A line is not a key, or there is no key. The error does not quote the text.
    pub fn parse(text: &str) -> Result<Self, InvalidKeys> {
        let lines = text.lines().map(str::trim).zip(1..);
        let lines = lines.filter(|(text, _)| !text.is_empty() && !text.starts_with('#'));
        let keys = lines.map(|(text, line)| {
            let key = bytes_of(text).and_then(|bytes| Key::new(&bytes));
            key.ok_or(InvalidKeys::Line { line })
        });
        let keys: Vec<Key> = keys.collect::<Result<_, _>>()?;
        if keys.is_empty() { Err(InvalidKeys::None) } else { Ok(Self(keys)) }
    }

    /// Creates a random key, which is lost with this value.
    ///
    /// Returns `None` if the system has no random numbers.
    pub(crate) fn random() -> Option<Self> {
        let mut bytes = [0; BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        Key::new(&bytes).map(|key| Self(vec![key]))
    }

    /// Encrypts a value for the resource with this name.
    fn seal(&self, name: &Id, value: &str) -> Result<Sealed, SealError> {
        let key = self.0.first().ok_or(SealError::NoKey)?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| SealError::Random)?;
        let mut sealed = value.as_bytes().to_vec();
        let name = Aad::from(bound_to(name));
        let nonce_of = Nonce::assume_unique_for_key(nonce);
        key.key.seal_in_place_append_tag(nonce_of, name, &mut sealed).map_err(|_| SealError::NotSealed)?;
        let bytes = [nonce.as_slice(), &sealed].concat();
        Ok(Sealed { key: key.id.clone(), bytes })
    }

    /// Decrypts the value of the resource with this name.
    fn open(&self, name: &Id, sealed: &Sealed) -> Result<String, SealError> {
        let key = self.0.iter().find(|key| key.id == sealed.key).ok_or(SealError::OtherKey)?;
        let (nonce, bytes) = sealed.bytes.split_first_chunk::<NONCE_LEN>().ok_or(SealError::NotSealed)?;
        let mut bytes = bytes.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let value = key.key.open_in_place(nonce, Aad::from(bound_to(name)), &mut bytes);
        let value = value.map_err(|_| SealError::NotSealed)?;
        String::from_utf8(value.to_vec()).map_err(|_| SealError::NotSealed)
    }
}

impl Key {
    fn new(bytes: &[u8; BYTES]) -> Option<Self> {
        let hash = hexadecimal(&Sha256::digest([PURPOSE, bytes].concat()));
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, bytes).ok()?);
        Some(Self { id: hash.get(..DIGITS)?.to_owned(), key })
    }
}

impl Seal {
    pub(crate) fn new(keys: Option<SecretKeys>) -> Self {
        Self(Arc::new(RwLock::new(keys.map(Arc::new))))
    }

    pub(crate) fn replace(&self, keys: SecretKeys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(keys));
    }

    pub(crate) fn seal(&self, name: &Id, value: &str) -> Result<Sealed, SealError> {
        self.keys()?.seal(name, value)
    }

    pub(crate) fn open(&self, name: &Id, sealed: &Sealed) -> Result<String, SealError> {
        self.keys()?.open(name, sealed)
    }

    fn keys(&self) -> Result<Arc<SecretKeys>, SealError> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone().ok_or(SealError::NoKey)
    }
}

impl fmt::Debug for SecretKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

/// Returns the associated data that bind a ciphertext to one name.
///
/// No part of the name contains a NUL.
fn bound_to(Id { tenancy, name, .. }: &Id) -> Vec<u8> {
    let partition = tenancy.partition().map_or("", |partition| partition.as_str());
    let namespace = tenancy.namespace().map_or("", |namespace| namespace.as_str());
    [PURPOSE, partition.as_bytes(), namespace.as_bytes(), name.as_str().as_bytes()].join(&0)
}

fn bytes_of(text: &str) -> Option<[u8; BYTES]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * BYTES {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = [0; BYTES];
    for (byte, two) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = digit(two[0])? << 4 | digit(two[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use converge_controller::{StoredResource as _, Tenancy};

    use super::*;
    use crate::fleet::types::Secret;

    const OLD: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const NEW: &str = "ff112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff";

    fn id(partition: &str, namespace: &str, name: &str) -> Id {
        let tenancy = Tenancy::Namespace(partition.parse().unwrap(), namespace.parse().unwrap());
        Id::new(Secret::resource_type().clone(), tenancy, name.parse().unwrap())
    }

    fn keys(lines: &[&str]) -> SecretKeys {
        SecretKeys::parse(&lines.join("\n")).unwrap()
    }

    #[test]
    fn only_the_same_bytes_open_by_the_same_key_under_the_same_name() {
        let (old, secret_id) = (keys(&[OLD]), id("default", "web", "db"));
        let sealed = old.seal(&secret_id, "hunter2 ü").unwrap();
        assert_eq!(old.open(&secret_id, &sealed).as_deref(), Ok("hunter2 ü"));
        assert_eq!(old.open(&Id { uid: None, ..secret_id.clone() }, &sealed).as_deref(), Ok("hunter2 ü"));
        // Two encryptions of the same value differ.
        assert_ne!(old.seal(&secret_id, "hunter2 ü").unwrap().bytes, sealed.bytes);
        for other in [id("default", "web", "db2"), id("default", "we", "bdb"), id("eu", "web", "db")] {
            assert_eq!(old.open(&other, &sealed), Err(SealError::NotSealed), "{other}");
        }
        for length in 0..sealed.bytes.len() {
            let cut = Sealed { bytes: sealed.bytes[..length].to_vec(), ..sealed.clone() };
            assert_eq!(old.open(&secret_id, &cut), Err(SealError::NotSealed), "{length}");
            let mut changed = sealed.clone();
            changed.bytes[length] ^= 1;
            assert_eq!(old.open(&secret_id, &changed), Err(SealError::NotSealed), "{length}");
        }
        assert_eq!(keys(&[NEW]).open(&secret_id, &sealed), Err(SealError::OtherKey));
        // The ciphertext claims the id of another key.
        let other = keys(&[NEW]).seal(&secret_id, "x").unwrap().key;
        let mismatch = Sealed { key: other, ..sealed };
        assert_eq!(keys(&[NEW]).open(&secret_id, &mismatch), Err(SealError::NotSealed));
    }

    #[test]
    fn the_first_key_seals_and_all_of_them_open() {
        let secret_id = id("default", "web", "db");
        let before = keys(&[OLD]).seal(&secret_id, "hunter2").unwrap();
        let keyring = keys(&["# of this year", NEW, "", OLD]);
        assert_eq!(keyring.open(&secret_id, &before).as_deref(), Ok("hunter2"));
        let after = keyring.seal(&secret_id, "hunter3").unwrap();
        assert_eq!(keys(&[NEW]).open(&secret_id, &after).as_deref(), Ok("hunter3"));
        assert_eq!(format!("{keyring:?}").matches(&after.key).count(), 1);
        assert!(!format!("{keyring:?}").contains(&OLD[..8]));
    }

    #[test]
    fn what_is_no_key() {
        assert_eq!(SecretKeys::parse(" \n# x\n").unwrap_err(), InvalidKeys::None);
        let non_hexadecimal = OLD.replacen("00", "0g", 1);
        for invalid in ["hunter2", &OLD[1..], &non_hexadecimal, &format!("{OLD}00")] {
            let text = format!("{NEW}\n{invalid}");
            assert_eq!(SecretKeys::parse(&text).unwrap_err(), InvalidKeys::Line { line: 2 }, "{invalid}");
        }
        let nothing = Seal::default();
        assert_eq!(nothing.seal(&id("a", "b", "c"), "x"), Err(SealError::NoKey));
        nothing.replace(SecretKeys::random().unwrap());
        assert!(nothing.seal(&id("a", "b", "c"), "x").is_ok());
    }
}
