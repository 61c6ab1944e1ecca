//! Packets (RFC 9580, section 4), as far as fingerprints (section 5.5.4) need them.

use sha1::{Digest as _, Sha1};
use sha2::Sha256;

use super::Fingerprint;

/// The tags of packets that begin a key.
const SECRET_KEY: u8 = 5;
const PUBLIC_KEY: u8 = 6;

/// Returns the fingerprints of the keys in these packets, without those of subkeys.
pub(super) fn fingerprints(mut bytes: &[u8]) -> Result<Vec<Fingerprint>, String> {
    let mut keys = Vec::new();
    while !bytes.is_empty() {
        let (tag, body, rest) = packet(bytes).ok_or("it is not a public key of OpenPGP, or a part of one")?;
        match tag {
            SECRET_KEY => return Err("it is a private key".to_owned()),
            PUBLIC_KEY => keys.push(fingerprint(body)?),
            // The input must begin with a public key; other OpenPGP data is refused.
            _ if keys.is_empty() => return Err("it is not a public key of OpenPGP".to_owned()),
            _ => {}
        }
        bytes = rest;
    }
    Ok(keys)
}

/// Returns the tag and the body of the first packet, and the rest.
fn packet(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first & 0x80 == 0 {
        return None;
    }
    let (tag, length, rest) = if first & 0x40 == 0 {
        let tag = (first >> 2) & 0x0f;
        let (length, rest) = match first & 0x03 {
            0 => one(rest)?,
            1 => two(rest)?,
            2 => four(rest)?,
            // A packet without a length is not used for keys.
            _ => return None,
        };
        (tag, length, rest)
    } else {
        let tag = first & 0x3f;
        let (&octet, after) = rest.split_first()?;
        let (length, rest) = match octet {
            0..=191 => one(rest)?,
            192..=223 => {
                let (low, rest) = one(after)?;
                ((usize::from(octet) - 192) * 256 + low + 192, rest)
            }
            // A packet in parts is not used for keys.
            224..=254 => return None,
            255 => four(after)?,
        };
        (tag, length, rest)
    };
    let (body, rest) = rest.split_at_checked(length)?;
    Some((tag, body, rest))
}

fn one(bytes: &[u8]) -> Option<(usize, &[u8])> {
    bytes.split_first().map(|(byte, rest)| (usize::from(*byte), rest))
}

fn two(bytes: &[u8]) -> Option<(usize, &[u8])> {
    bytes.split_first_chunk().map(|(length, rest)| (usize::from(u16::from_be_bytes(*length)), rest))
}

fn four(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    Some((usize::try_from(u32::from_be_bytes(*length)).ok()?, rest))
}

fn fingerprint(body: &[u8]) -> Result<Fingerprint, String> {
    let damaged = || "it is damaged".to_owned();
    match body.first() {
        Some(4) => {
            let length = u16::try_from(body.len()).map_err(|_| damaged())?;
            let hash = Sha1::new().chain_update([0x99]).chain_update(length.to_be_bytes()).chain_update(body);
            Ok(Fingerprint::new(hash.finalize().to_vec()))
        }
        Some(6) => {
            let length = u32::try_from(body.len()).map_err(|_| damaged())?;
            let hash =
                Sha256::new().chain_update([0x9b]).chain_update(length.to_be_bytes()).chain_update(body);
            Ok(Fingerprint::new(hash.finalize().to_vec()))
        }
        Some(version) => Err(format!("it is a key of version {version}: 4 and 6 are known")),
        None => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{PublicKeys, samples};
    use super::*;

    #[test]
    fn keys_of_gpg() {
        let keys = PublicKeys::read(samples::ONE.as_bytes()).unwrap();
        assert_eq!(keys.fingerprints, [samples::ONE_FINGERPRINT.parse().unwrap()]);
        assert_eq!(PublicKeys::read(&keys.bytes).unwrap(), keys);
        assert_eq!(keys.expect(&[samples::ONE_FINGERPRINT.parse().unwrap()]), Ok(()));
        let other: Fingerprint = "00".repeat(20).parse().unwrap();
        let refused = keys.expect(std::slice::from_ref(&other)).unwrap_err();
        assert_eq!(
            refused,
            format!("it has the fingerprint {}, and {other} is expected", samples::ONE_FINGERPRINT)
        );
    }

    /// Uses the sample of RFC 9580, section A.3.
    #[test]
    fn a_key_of_version_6() {
        let body = "0663877fe31b00000020f94da7bb48d60a61e567706a6587d0331999bb9d891a08242ead84543df895a3";
        let byte = |at: usize| u8::from_str_radix(&body[2 * at..2 * at + 2], 16).unwrap();
        let body: Vec<u8> = (0..body.len() / 2).map(byte).collect();
        let packet = [&[0xc6, u8::try_from(body.len()).unwrap()], &*body].concat();
        let expect = "CB186C4F0609A697E4D52DFA6C722B0C1F1E27C18A56708F6525EC27BAD9ACC9";
        assert_eq!(fingerprints(&packet), Ok(vec![expect.parse().unwrap()]));
    }

    #[test]
    fn what_is_refused() {
        let check = |bytes: &[u8], expect: &str| {
            let actual = PublicKeys::read(bytes).unwrap_err();
            assert!(actual.contains(expect), "{bytes:?}: {actual}");
        };
        check(b"", "no public key");
        check(b"<html>", "not a public key");
        check(&[0x94, 1, 4], "private key");
        check(&[0x98, 1, 3], "version 3");
        check(&[0x98, 0], "damaged");
        check(&[0x98, 2, 4], "a part of one");
        check(&[0xb4, 1, 0x61], "not a public key");
        check(&[0x9b, 4], "a part of one");
        check(&vec![0; super::super::KEY_BYTES + 1], "more than");
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = PublicKeys::read(&bytes);
        }
    }
}
