//! `OpenPGP` public keys: their fingerprints, and the text form for apt and rpm.
//!
//! Only the first packet of a key is parsed, because the fingerprint is computed from it.

mod armour;
mod fingerprint;
mod packets;
#[cfg(test)]
pub(super) mod samples;
mod source;

pub(super) use fingerprint::Fingerprint;
pub(super) use source::KeySource;

/// The maximum number of bytes of a key; those of whole distributions have some ten thousand.
pub(super) const KEY_BYTES: usize = 1 << 20;

/// One or several public keys, as one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PublicKeys {
    bytes: Vec<u8>,
    fingerprints: Vec<Fingerprint>,
}

impl PublicKeys {
    /// Reads keys, as text or binary.
    ///
    /// # Errors
    ///
    /// Returns an error that says why the input is not a public key.
    pub(super) fn read(input: &[u8]) -> Result<Self, String> {
        if input.len() > KEY_BYTES {
            return Err(format!("it has more than {KEY_BYTES} bytes, which no key has"));
        }
        let bytes = match std::str::from_utf8(input) {
            Ok(text) if text.trim_start().starts_with("-----BEGIN") => armour::decode(text)?,
            _ => input.to_vec(),
        };
        let fingerprints = packets::fingerprints(&bytes)?;
        if fingerprints.is_empty() {
            return Err("there is no public key of OpenPGP in it".to_owned());
        }
        Ok(Self { bytes, fingerprints })
    }

    /// Returns an error if a key is not an expected one, or if there is none.
    pub(super) fn expect(&self, expected: &[Fingerprint]) -> Result<(), String> {
        let listed =
            |list: &[Fingerprint]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match self.fingerprints.iter().find(|fingerprint| !expected.contains(fingerprint)) {
            Some(other) => {
                Err(format!("it has the fingerprint {other}, and {} is expected", listed(expected)))
            }
            None => Ok(()),
        }
    }

    /// Returns the text form.
    pub(super) fn armoured(&self) -> String {
        armour::encode(&self.bytes)
    }
}
