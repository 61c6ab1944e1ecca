//! SSH public keys in their one-line text form.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use converge_sdk::prelude::*;

/// A public key, with an optional comment: `ssh-ed25519 AAAA.. ada@example.com`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct PublicKey {
    pub(super) kind: String,
    /// The key itself, in base64.
    pub(super) blob: String,
    pub(super) comment: String,
}

impl PublicKey {
    /// Parses a text that begins with a key; returns `None` if it does not.
    pub(super) fn read(line: &str) -> Option<Self> {
        let (kind, rest) = line.trim_start().split_once([' ', '\t'])?;
        let rest = rest.trim_start();
        let (blob, comment) = rest.split_once([' ', '\t']).unwrap_or((rest.trim_end(), ""));
        // The key also contains its own type.
        let bytes = STANDARD.decode(blob).ok()?;
        let (length, bytes) = bytes.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let is_kind = bytes.get(..length)? == kind.as_bytes() && bytes.len() > length;
        is_kind.then(|| Self {
            kind: kind.to_owned(),
            blob: blob.to_owned(),
            comment: comment.trim().to_owned(),
        })
    }

    /// Whether the other key is the same, whatever its comment.
    pub(super) fn is_same_key(&self, other: &Self) -> bool {
        self.kind == other.kind && self.blob == other.blob
    }

    /// Returns the name of the key for messages.
    pub(super) fn shown(&self) -> String {
        const LAST: usize = 12;
        if !self.comment.is_empty() {
            return self.comment.clone();
        }
        let last = self.blob.len().saturating_sub(LAST);
        format!("{} ..{}", self.kind, self.blob.get(last..).unwrap_or_default())
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("-----BEGIN") {
            // The error quotes nothing, because the text may be a private key.
            return Err("this is a whole key file: write the one line of the public key, from the file whose name ends with .pub"
                .to_owned());
        }
        let is_line = !text.contains(|c: char| c.is_control() && c != '\t');
        Self::read(text).filter(|_| is_line).ok_or_else(|| {
            "this is not a public key of SSH, which is one line as in `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5.. ada@example.com`"
                .to_owned()
        })
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.blob)?;
        if self.comment.is_empty() { Ok(()) } else { write!(f, " {}", self.comment) }
    }
}

#[cfg(test)]
pub(super) mod samples {
    /// Keys that are used only in tests.
    pub(crate) const ONE: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
    pub(crate) const OTHER: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC";
}

#[cfg(test)]
mod tests {
    use super::samples::ONE;
    use super::*;

    #[test]
    fn keys() {
        let check = |text: &str, expect: Result<&str, &str>| {
            let actual = text.parse::<PublicKey>().map(|key| key.to_string());
            match (&actual, expect) {
                (Ok(actual), Ok(expect)) => assert_eq!(actual, expect),
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{text}: {found}"),
                _ => panic!("{text}: {actual:?}"),
            }
        };
        check(ONE, Ok(ONE));
        check(&format!("{ONE}  ada at home \n"), Ok(&format!("{ONE} ada at home")));
        check(&format!("no-pty {ONE}"), Err("not a public key"));
        check(&ONE.replace("ssh-ed25519 ", "ssh-rsa "), Err("not a public key"));
        check(&ONE.replace('=', ""), Ok(ONE));
        check(&format!("{ONE}\nssh-rsa x"), Err("not a public key"));
        check("-----BEGIN OPENSSH PRIVATE KEY-----", Err("ends with .pub"));
        for text in ["", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-ed25519 ????", "ssh-ed25519 /////w=="] {
            check(text, Err("not a public key"));
        }
    }
}
