use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// A fingerprint of a key: 40 hexadecimal digits, or 64 for a key of version 6.
#[derive(Clone, PartialEq, Eq, HclText)]
pub(crate) struct Fingerprint(Vec<u8>);

impl Fingerprint {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    /// Accepts spaces and colons between the digits, as people write them.
    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "{text:?} is not a fingerprint of a key, which has 40 or 64 hexadecimal digits; the last 8 or 16 alone can be forged"
            )
        };
        let hex = text.strip_prefix("0x").unwrap_or(text);
        let digits: Vec<char> = hex.chars().filter(|c| !matches!(c, ' ' | ':' | '\u{a0}')).collect();
        if !matches!(digits.len(), 40 | 64) {
            return Err(refused());
        }
        let byte = |pair: &[char]| {
            let digits: Option<Vec<u32>> = pair.iter().map(|digit| digit.to_digit(16)).collect();
            let byte = digits?.into_iter().fold(0, |byte, digit| 16 * byte + digit);
            u8::try_from(byte).ok()
        };
        digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>().map(Self).ok_or_else(refused)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints() {
        let check = |text: &str, expect: Option<&str>| {
            let actual = text.parse::<Fingerprint>().ok().map(|found| found.to_string());
            assert_eq!(actual.as_deref(), expect, "{text}");
        };
        let fingerprint = "9EDCD50A32FF7EB4CEC3AA78ECB01B2F5D57C0C3";
        check(fingerprint, Some(fingerprint));
        check("9edc d50a 32ff 7eb4 cec3  aa78 ecb0 1b2f 5d57 c0c3", Some(fingerprint));
        check(&format!("0x{fingerprint}"), Some(fingerprint));
        check(&"0a".repeat(32), Some(&"0A".repeat(32)));
        for text in [
            "",
            "5D57C0C3",
            "ECB01B2F5D57C0C3",
            "xyz",
            &fingerprint.replace('9', "g"),
            &format!("{fingerprint}0"),
        ] {
            check(text, None);
        }
    }
}
