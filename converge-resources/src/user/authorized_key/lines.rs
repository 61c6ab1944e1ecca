//! The edit of an `authorized_keys` file.

use std::collections::BTreeSet;

use crate::user::public_key::PublicKey;
use crate::user::ssh_file::{SshEdit, SshFile, add_line, ending};

/// A key that is to be present or absent.
#[derive(Debug)]
pub(super) struct KeyEdit {
    pub(super) key: PublicKey,
    /// The options before the key, separated by commas.
    pub(super) options: String,
    pub(super) exact: bool,
    pub(super) present: bool,
    /// The keys in the file that resources of the run declare, which stay also with `exact`.
    pub(super) declared: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct Edited {
    pub(super) text: String,
    /// The previous lines with the key.
    pub(super) before: Vec<String>,
    /// The new line with the key.
    pub(super) after: Option<String>,
    /// The other keys that were removed, in the form for messages.
    pub(super) others: Vec<String>,
}

impl AsRef<str> for Edited {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl SshEdit for KeyEdit {
    type Edited = Edited;

    fn edited(&self, text: &str) -> Result<Edited, String> {
        Ok(self.edit(text))
    }
}

/// The kind of claims on keys.
pub(super) const KEY: &str = "authorized_key";

/// Returns the beginning of the names of claims on keys in a file.
pub(super) fn claim_prefix(file: &SshFile) -> String {
    format!("{file} ")
}

/// Returns the name of the claim on a key in a file, without the [prefix](claim_prefix).
pub(super) fn claim_name(key: &PublicKey) -> String {
    format!("{} {}", key.kind, key.blob)
}

impl KeyEdit {
    pub(super) fn edit(&self, text: &str) -> Edited {
        let mut edited = Edited::default();
        for raw_line in text.split_inclusive('\n') {
            let line = raw_line.trim_end_matches(['\n', '\r']);
            match entry(line) {
                Some((options, key)) if key.is_same_key(&self.key) => {
                    edited.before.push(line.trim().to_owned());
                    if !self.present || edited.after.is_some() {
                        continue;
                    }
                    let target = self.line(&key.comment);
                    let is_comment = self.key.comment.is_empty() || key.comment == self.key.comment;
                    if options == self.options && is_comment {
                        edited.text.push_str(raw_line);
                        edited.after = Some(line.trim().to_owned());
                        continue;
                    }
                    edited.text.push_str(&target);
                    edited.text.push_str(raw_line.strip_prefix(line).unwrap_or_default());
                    edited.after = Some(target);
                }
                Some((_, other)) if self.removes(&other) => edited.others.push(other.shown()),
                _ => edited.text.push_str(raw_line),
            }
        }
        if self.present && edited.after.is_none() {
            let line = self.line("");
            add_line(&mut edited.text, &line, ending(text));
            edited.after = Some(line);
        }
        edited
    }

    /// Whether another key is removed.
    fn removes(&self, other: &PublicKey) -> bool {
        self.exact && self.present && !self.declared.contains(&claim_name(other))
    }

    /// Returns the line of the key. Without a declared comment, the present one stays.
    fn line(&self, comment: &str) -> String {
        let mut key = self.key.clone();
        if key.comment.is_empty() {
            comment.clone_into(&mut key.comment);
        }
        if self.options.is_empty() { key.to_string() } else { format!("{} {key}", self.options) }
    }
}

/// Parses the options and the key of a line; returns `None` for comments and other text.
fn entry(line: &str) -> Option<(&str, PublicKey)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    if let Some(key) = PublicKey::read(line) {
        return Some(("", key));
    }
    let (options, rest) = line.split_at(options_end(line)?);
    Some((options, PublicKey::read(rest)?))
}

/// Returns the end of the options: the first space outside of quotes.
fn options_end(line: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (index, c) in line.char_indices() {
        match c {
            '\\' if quoted && !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            ' ' | '\t' if !quoted => return Some(index),
            _ => {}
        }
        escaped = false;
    }
    None
}

/// Whether a text is one option: a name, or a name with a value in quotes.
pub(super) fn is_option(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let Some((name, value)) = text.split_once('=') else { return is_name(text) };
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let is_value = |inner: &str| {
        let mut escaped = false;
        let fits = inner.chars().all(|c| {
            let fits = !c.is_control() && (c != '"' || escaped);
            escaped = c == '\\' && !escaped;
            fits
        });
        fits && !escaped
    };
    is_name(name) && inner.is_some_and(is_value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::user::public_key::samples::{ONE, OTHER};

    fn edit(key: &str, options: &str) -> KeyEdit {
        KeyEdit {
            key: key.parse().unwrap(),
            options: options.to_owned(),
            exact: false,
            present: true,
            declared: BTreeSet::new(),
        }
    }

    #[test]
    fn texts() {
        let check = |edit: &KeyEdit, before: &str, expect: &str| {
            let shorten = |text: &str| text.replace(ONE, "ONE").replace(OTHER, "OTHER");
            let before = before.replace("ONE", ONE).replace("OTHER", OTHER);
            let actual = edit.edit(&before).text;
            assert_eq!(shorten(&actual), expect, "{before}");
            assert_eq!(edit.edit(&actual).text, actual, "{before}");
        };
        let simple = edit(ONE, "");
        check(&simple, "", "ONE\n");
        check(&simple, "# by hand", "# by hand\nONE\n");
        check(&simple, "OTHER x\r\n", "OTHER x\r\nONE\r\n");
        check(&simple, "  ONE ada \nOTHER\n", "  ONE ada \nOTHER\n");
        check(&simple, "no-pty ONE ada\n", "ONE ada\n");
        check(&simple, "ONE\nx\nfrom=\"a b\" ONE\n", "ONE\nx\n");
        check(&simple, "#ONE\n", "#ONE\nONE\n");
        let limited = edit(&format!("{ONE} ada"), "from=\"a b\",no-pty");
        check(&limited, "ONE grace\r\nOTHER\r\n", "from=\"a b\",no-pty ONE ada\r\nOTHER\r\n");
        check(&limited, "from=\"a b\",no-pty ONE ada", "from=\"a b\",no-pty ONE ada");
        check(&limited, "from=\"a \\\" b\" ONE ada", "from=\"a b\",no-pty ONE ada");
        let exact = KeyEdit { exact: true, ..edit(ONE, "") };
        check(&exact, "# kept\nOTHER x\n\nno-pty OTHER\nONE\nnonsense\n", "# kept\n\nONE\nnonsense\n");
        let absent = KeyEdit { present: false, ..edit(ONE, "") };
        check(&absent, "OTHER\nno-pty ONE\nONE x", "OTHER\n");
        check(&absent, "OTHER", "OTHER");
    }

    #[test]
    fn options() {
        for option in ["no-pty", "from=\"10.0.0.0/8\"", "command=\"echo \\\"hi\\\"\"", "environment=\"A=b\""]
        {
            assert!(is_option(option), "{option}");
        }
        for option in [
            "",
            "a b",
            "from=x",
            "from=\"a\" b",
            "a\nb",
            "from=\"a\n\"",
            "from=\"a\"b\"",
            "from=\"a\\\"",
            "a,b",
        ] {
            assert!(!is_option(option), "{option}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_twice_is_once(text in "([ -~\\n]|\u{e9}){0,200}", present: bool, exact: bool) {
            let edit = KeyEdit { exact, present, ..edit(ONE, "no-pty") };
            let first = edit.edit(&text).text;
            prop_assert_eq!(edit.edit(&first).text, first);
        }
    }
}
