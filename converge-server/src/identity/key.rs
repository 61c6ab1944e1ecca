//! The keys of nodes.

use std::fmt;
use std::str::FromStr;

use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData, SignatureAlgorithm};
use sha2::{Digest as _, Sha256};

use super::hexadecimal;

/// The first byte of a P-256 point with both coordinates.
const UNCOMPRESSED: u8 = 4;
/// The length of such a point in bytes.
const BYTES: usize = 65;

/// The private key of a node, which never leaves its machine.
pub(crate) struct NodeKey(KeyPair);

/// The public key of a node, always on P-256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicKey([u8; BYTES]);

/// The error for a text that is not a public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key is a point of P-256, uncompressed, as 130 hexadecimal digits that begin with 04")]
pub(crate) struct InvalidKey;

impl NodeKey {
    pub(crate) fn new() -> Result<Self, rcgen::Error> {
        KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map(Self)
    }

    pub(crate) fn from_pem(pem: &str) -> Result<Self, rcgen::Error> {
        KeyPair::from_pem(pem).map(Self)
    }

    /// Returns the private key in PEM, to be stored.
    pub(crate) fn to_pem(&self) -> String {
        self.0.serialize_pem()
    }

    /// Returns the public key for the server.
    pub(crate) fn public(&self) -> String {
        hexadecimal(self.0.der_bytes())
    }
}

impl PublicKey {
    /// Returns the SHA-256 of the public key, which identifies it in stored resources.
    pub(crate) fn sha256(&self) -> String {
        hexadecimal(&Sha256::digest(self.0))
    }
}

impl FromStr for PublicKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let digits = text.as_bytes();
        let mut key = [0; BYTES];
        if digits.len() != 2 * BYTES {
            return Err(InvalidKey);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        for (byte, two) in key.iter_mut().zip(digits.chunks(2)) {
            *byte = match (digit(two[0]), digit(two[1])) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(InvalidKey),
            };
        }
        if key[0] == UNCOMPRESSED { Ok(Self(key)) } else { Err(InvalidKey) }
    }
}

impl PublicKeyData for PublicKey {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

impl fmt::Debug for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NodeKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_as_text() {
        let key = NodeKey::new().unwrap();
        let public: PublicKey = key.public().parse().unwrap();
        assert_eq!(public.der_bytes(), key.0.der_bytes());
        assert_eq!(NodeKey::from_pem(&key.to_pem()).unwrap().public(), key.public());
        let text = key.public();
        for invalid in ["", "04", &text[2..], &text.replacen("04", "02", 1), &format!("{}é", &text[2..])] {
            assert_eq!(invalid.parse::<PublicKey>(), Err(InvalidKey), "{invalid}");
        }
    }
}
