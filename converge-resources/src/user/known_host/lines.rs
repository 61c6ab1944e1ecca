//! The edit of a `known_hosts` file.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use converge_sdk::prelude::*;
use sha1::{Digest as _, Sha1};

use crate::user::public_key::PublicKey;
use crate::user::ssh_file::{SshEdit, add_line, ending};

/// The name of a host as SSH looks it up: in lower case, with a port only if that is not 22.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct HostName(String);

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || {
            format!("{text:?} is not a name or address of a machine, with a port as in `[example.com]:2222`")
        };
        let is_name = |name: &str| {
            let is_other = |c: char| c.is_whitespace() || c.is_control() || "*?!,|[]#@\"'".contains(c);
            !name.is_empty() && !name.starts_with('-') && !name.contains(is_other)
        };
        let (name, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once("]:")) {
            Some((name, port)) => {
                (name, port.parse::<u16>().ok().filter(|port| *port != 0).ok_or_else(refused)?)
            }
            None => (text, 22),
        };
        if !is_name(name) {
            return Err(refused());
        }
        let name = name.to_ascii_lowercase();
        Ok(Self(if port == 22 { name } else { format!("[{name}]:{port}") }))
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HostName {
    /// Whether a name on a line, in clear or hashed, is this name.
    fn is(&self, pattern: &str) -> bool {
        let Some(hashed) = pattern.strip_prefix("|1|") else { return pattern.eq_ignore_ascii_case(&self.0) };
        let Some((salt, hash)) = hashed.split_once('|') else { return false };
        let (Ok(salt), Ok(hash)) = (STANDARD.decode(salt), STANDARD.decode(hash)) else { return false };
        hmac_sha1(&salt, self.0.as_bytes()) == *hash
    }
}

/// Computes HMAC (RFC 2104) with SHA-1, by which SSH hashes names.
fn hmac_sha1(key: &[u8], message: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 64;
    let key = if key.len() > BLOCK { Sha1::digest(key).to_vec() } else { key.to_vec() };
    let pad = |with: u8| -> Vec<u8> {
        let bytes = key.iter().copied().chain(std::iter::repeat(0)).take(BLOCK);
        bytes.map(|byte| byte ^ with).collect()
    };
    let inner = Sha1::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha1::new().chain_update(pad(0x5c)).chain_update(inner).finalize().to_vec()
}

/// A host key that is to be present or absent.
#[derive(Debug)]
pub(super) struct HostEdit {
    pub(super) host: HostName,
    pub(super) key: PublicKey,
    pub(super) present: bool,
}

#[derive(Debug, Default)]
pub(super) struct Edited {
    pub(super) text: String,
    /// The previous keys of the host that were removed.
    pub(super) before: Vec<String>,
}

impl AsRef<str> for Edited {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl SshEdit for HostEdit {
    type Edited = Edited;

    fn edited(&self, text: &str) -> Result<Edited, String> {
        self.edit(text)
    }
}

impl HostEdit {
    /// Edits the text.
    ///
    /// # Errors
    ///
    /// Returns an error if the key is to be present, and the file marks it as revoked.
    pub(super) fn edit(&self, text: &str) -> Result<Edited, String> {
        let mut edited = Edited::default();
        let mut is_known = false;
        for (number, raw_line) in text.split_inclusive('\n').enumerate() {
            let line = raw_line.trim();
            let Some((names, key)) = entry(line) else {
                let revoked = line.strip_prefix("@revoked").and_then(entry);
                if let Some((names, key)) = revoked
                    && self.present
                    && key.is_same_key(&self.key)
                    && names.split(',').any(|name| name == "*" || self.host.is(name))
                {
                    return Err(format!("line {} says that this key is revoked", number + 1));
                }
                edited.text.push_str(raw_line);
                continue;
            };
            let is_same = key.is_same_key(&self.key);
            let concerns = if self.present { key.kind == self.key.kind } else { is_same };
            if !concerns || !names.split(',').any(|name| self.host.is(name)) {
                edited.text.push_str(raw_line);
                continue;
            }
            if self.present && is_same {
                is_known = true;
                edited.text.push_str(raw_line);
                continue;
            }
            edited.before.push(format!("{} {}", key.kind, key.blob));
            let others: Vec<&str> = names.split(',').filter(|name| !self.host.is(name)).collect();
            if !others.is_empty() {
                edited.text.push_str(&raw_line.replacen(names, &others.join(","), 1));
            }
        }
        if self.present && !is_known {
            let line = format!("{} {}", self.host, self.key);
            add_line(&mut edited.text, &line, ending(text));
        }
        Ok(edited)
    }
}

/// Parses the names and the key of a line.
///
/// Returns `None` for a comment, a line with a marker, and other text.
fn entry(line: &str) -> Option<(&str, PublicKey)> {
    let (names, rest) = line.trim_start().split_once([' ', '\t'])?;
    if names.starts_with(['#', '@']) {
        return None;
    }
    Some((names, PublicKey::read(rest)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::user::public_key::samples::{ONE, OTHER};

    /// Returns `example.com`, hashed with a salt of 20 bytes of 1.
    fn hashed() -> String {
        let salt = [1; 20];
        format!("|1|{}|{}", STANDARD.encode(salt), STANDARD.encode(hmac_sha1(&salt, b"example.com")))
    }

    /// Uses test vectors of RFC 2202.
    #[test]
    fn hmac() {
        let check = |key: &[u8], message: &str, expect: &str| {
            let actual = hmac_sha1(key, message.as_bytes());
            let byte = |at: usize| u8::from_str_radix(&expect[2 * at..2 * at + 2], 16).unwrap();
            assert_eq!(actual, (0..20).map(byte).collect::<Vec<u8>>(), "{message}");
        };
        check(&[0x0b; 20], "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00");
        check(b"Jefe", "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        let long = "Test Using Larger Than Block-Size Key - Hash Key First";
        check(&[0xaa; 80], long, "aa4ae5e15272d00e95705637ce8a3b55ed402112");
    }

    #[test]
    fn names() {
        let check = |text: &str, expect: Option<&str>| {
            let actual = text.parse::<HostName>().ok().map(|name| name.to_string());
            assert_eq!(actual.as_deref(), expect, "{text}");
        };
        check("Example.com", Some("example.com"));
        check("[example.com]:2222", Some("[example.com]:2222"));
        check("[example.com]:22", Some("example.com"));
        check("2001:db8::1", Some("2001:db8::1"));
        for text in [
            "",
            "a b",
            "a,b",
            "*.example.com",
            "!a",
            "|1|a|b",
            "[a]:0",
            "[a]:70000",
            "[a",
            "@revoked",
            "#a",
            "-a",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn texts() {
        let check = |present: bool, before: &str, expect: Result<&str, &str>| {
            let hashed = hashed();
            let expand =
                |text: &str| text.replace("ONE", ONE).replace("OTHER", OTHER).replace("HASHED", &hashed);
            let edit = HostEdit { host: "example.com".parse().unwrap(), key: ONE.parse().unwrap(), present };
            let actual = edit.edit(&expand(before)).map(|edited| edited.text);
            let expect = expect.map(expand).map_err(str::to_owned);
            assert_eq!(actual, expect, "{before}");
            if let Ok(actual) = actual {
                assert_eq!(edit.edit(&actual).map(|edited| edited.text), Ok(actual), "{before}");
            }
        };
        check(true, "", Ok("example.com ONE\n"));
        check(true, "example.com ONE by hand\n", Ok("example.com ONE by hand\n"));
        check(true, "a,EXAMPLE.com ONE\n", Ok("a,EXAMPLE.com ONE\n"));
        check(true, "HASHED ONE\n", Ok("HASHED ONE\n"));
        check(true, "HASHED OTHER\r\n# x\r\n", Ok("# x\r\nexample.com ONE\r\n"));
        check(true, "example.com OTHER\nb OTHER\n", Ok("b OTHER\nexample.com ONE\n"));
        check(true, "a,example.com,b OTHER x", Ok("a,b OTHER x\nexample.com ONE\n"));
        check(true, "*.com OTHER\n", Ok("*.com OTHER\nexample.com ONE\n"));
        check(
            true,
            "@cert-authority example.com OTHER\n",
            Ok("@cert-authority example.com OTHER\nexample.com ONE\n"),
        );
        check(true, "\n@revoked * ONE\n", Err("line 2 says that this key is revoked"));
        check(true, "@revoked b ONE\n", Ok("@revoked b ONE\nexample.com ONE\n"));
        check(false, "example.com ONE\nexample.com OTHER\nHASHED ONE\n", Ok("example.com OTHER\n"));
        check(false, "a,example.com ONE\n", Ok("a ONE\n"));
        check(false, "@revoked * ONE\n", Ok("@revoked * ONE\n"));
    }

    proptest! {
        #[test]
        fn nothing_panics_and_twice_is_once(text in "([ -~\\n]|\u{e9}){0,200}", present: bool) {
            let edit = HostEdit { host: "a".parse().unwrap(), key: ONE.parse().unwrap(), present };
            let first = edit.edit(&text).unwrap().text;
            prop_assert_eq!(edit.edit(&first).unwrap().text, first);
        }
    }
}
