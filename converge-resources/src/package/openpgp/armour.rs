//! The text form of keys (RFC 9580, section 6).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const BEGIN: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const END: &str = "-----END PGP PUBLIC KEY BLOCK-----";

/// The number of characters in a line.
const WIDTH: usize = 64;

/// Decodes all keys in a text, and skips everything before, between and after them.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, String> {
    if text.contains("PRIVATE KEY") {
        return Err("it is a private key".to_owned());
    }
    let mut bytes = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while lines.by_ref().any(|line| line == BEGIN) {
        let mut base64 = String::new();
        let mut is_whole = false;
        let mut in_headers = true;
        for line in lines.by_ref() {
            if line == END {
                is_whole = true;
                break;
            }
            if in_headers && (line.is_empty() || line.contains(": ")) {
                continue;
            }
            in_headers = false;
            // This line is a checksum, which protects only from typing errors.
            if !line.starts_with('=') {
                base64.push_str(line);
            }
        }
        let decoded = STANDARD.decode(&base64).ok().filter(|_| is_whole);
        bytes.extend(decoded.ok_or("it is damaged: its text cannot be read")?);
    }
    if bytes.is_empty() { Err("it is not a public key of OpenPGP".to_owned()) } else { Ok(bytes) }
}

/// Encodes keys as text, with the checksum that old programs require.
pub(super) fn encode(bytes: &[u8]) -> String {
    let base64 = STANDARD.encode(bytes);
    let mut text = format!("{BEGIN}\n\n");
    let mut rest = base64.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(WIDTH.min(rest.len()));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    let [_, checksum @ ..] = crc24(bytes).to_be_bytes();
    text.push('=');
    text.push_str(&STANDARD.encode(checksum));
    text.push('\n');
    text.push_str(END);
    text.push('\n');
    text
}

fn crc24(bytes: &[u8]) -> u32 {
    let mut crc: u32 = 0x00b7_04ce;
    for byte in bytes {
        crc ^= u32::from(*byte) << 16;
        for _ in 0..8 {
            crc <<= 1;
            if crc & 0x0100_0000 != 0 {
                crc ^= 0x0186_4cfb;
            }
        }
    }
    crc & 0x00ff_ffff
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples;
    use super::*;

    #[test]
    fn text_and_back() {
        let bytes = decode(samples::ONE).unwrap();
        // gpg writes the same text.
        assert_eq!(encode(&bytes), samples::ONE);
        let twice = format!("for you:\n{}\n\n{}", samples::ONE, samples::ONE);
        assert_eq!(decode(&twice).unwrap().len(), 2 * bytes.len());
        let header = samples::ONE.replacen("\n\n", "\nComment: by hand\n\n", 1);
        assert_eq!(decode(&header).unwrap(), bytes);
        let crlf = samples::ONE.replace('\n', "\r\n");
        assert_eq!(decode(&crlf).unwrap(), bytes);
    }

    #[test]
    fn what_is_refused() {
        let check = |text: &str, expect: &str| {
            assert!(decode(text).unwrap_err().contains(expect), "{text}");
        };
        check("", "not a public key");
        check(&samples::ONE.replace("END", "EMD"), "damaged");
        check(&samples::ONE.replacen("mDME", "m*ME", 1), "damaged");
        check("-----BEGIN PGP PRIVATE KEY BLOCK-----", "private key");
    }

    proptest! {
        #[test]
        fn bytes_and_back(bytes in proptest::collection::vec(any::<u8>(), 1..300)) {
            prop_assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }

        #[test]
        fn nothing_panics(text in "(-----BEGIN PGP PUBLIC KEY BLOCK-----\n)?[ -~\\n]{0,200}") {
            let _ = decode(&text);
        }
    }
}
