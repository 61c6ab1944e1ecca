use std::io::Write as _;

use proptest::prelude::*;

use super::{REDACTED, Redactor};

fn redactor(secrets: &[&str]) -> Redactor {
    let redactor = Redactor::new();
    for secret in secrets {
        assert!(redactor.hide(secret), "{secret:?}");
    }
    redactor
}

#[test]
fn secrets_are_found_by_value() {
    let check = |secrets: &[&str], text: &str, expect: &str| {
        let redactor = redactor(secrets);
        assert_eq!(redactor.redact(text), expect, "{secrets:?} in {text:?}");
        assert_eq!(redactor.redact(expect), expect, "what is redacted stays as it is");
    };
    check(&["hunter2"], "no secret here", "no secret here");
    check(&["hunter2"], "hunter2", "(sensitive)");
    check(&["hunter2"], "-phunter2, hunter22", "-p(sensitive), (sensitive)2");
    check(&["hunter2"], "hunterhunter2", "hunter(sensitive)");
    // The secrets overlap, contain each other, or are adjacent.
    check(&["abcd", "cdef"], "xabcdefx", "x(sensitive)x");
    check(&["bcde", "abcdefgh"], "abcdefgh abcde", "(sensitive) a(sensitive)");
    check(&["abcd", "wxyz"], "abcdwxyz", "(sensitive)");
    check(
        &["a-secret-of-many-more-bytes-than-a-window"],
        "a-secret-of-many-more-bytes-than-a-window!",
        "(sensitive)!",
    );
    // The secret occurs unchanged, as it was typed, and as a shell prints it.
    check(&[" hunter2\n"], "is hunter2.", "is (sensitive).");
    check(&["pass wörd"], "a pass wörd", "a (sensitive)");
    check(&["日本語版"], "これは日本語版です", "これは(sensitive)です");
    // A single line of a secret of many lines is found.
    check(&["first line\nab\nsecond line"], "it says: second line", "it says: (sensitive)");
    check(&["first line\nab\nsecond line"], "ab", "ab");
}

#[test]
fn secrets_are_found_however_they_are_written() {
    const SECRET: &str = "p\"w'd\\ \u{e9}\n&/+1";
    let redactor = redactor(&[SECRET]);
    let check = |text: &str| {
        assert_eq!(redactor.redact(text), REDACTED, "{text:?}");
    };
    check(SECRET);
    check(r#"p\"w'd\\ é\n&/+1"#);
    check(r#"p\"w'd\\ \u00e9\n&/+1"#);
    check(format!("{SECRET:?}").trim_matches('"'));
    check("p\"w'\\''d\\ \u{e9}\n&/+1");
    check("p%22w%27d%5C%20%C3%A9%0A%26%2F%2B1");
    check("p%22w%27d%5c%20%c3%a9%0a%26%2f%2b1");
    check("p%22w%27d%5C+%C3%A9%0A%26%2F%2B1");
    check("p%22w'd%5C%20%C3%A9%0A&/+1");
}

/// Each secret has a single character that may be escaped.
///
/// A form that equals the secret is not created.
#[test]
fn each_character_is_found_however_it_is_written() {
    let characters =
        (' '..='~').chain(['\0', '\t', '\n', '\r', '\u{7f}', '\u{85}', '\u{e9}', '\u{301}', '\u{1f980}']);
    for character in characters {
        let secret = format!("a{character}b-hunter2");
        let redactor = redactor(&[&secret]);
        let percent = |literal: &str, escape: fn(u8) -> String| -> String {
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || literal.as_bytes().contains(byte);
            let escaped =
                |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { escape(byte) };
            secret.bytes().map(escaped).collect()
        };
        let (large, small) = (|byte| format!("%{byte:02X}"), |byte| format!("%{byte:02x}"));
        let shell = |character: char| match character {
            plain if !plain.is_ascii() || plain.is_ascii_alphanumeric() || "-_./:@%+=,".contains(plain) => {
                plain.to_string()
            }
            special => format!("\\{special}"),
        };
        let forms = [
            secret.clone(),
            serde_json::to_string(&secret).unwrap(),
            format!("{secret:?}"),
            secret.escape_debug().to_string(),
            secret.escape_default().to_string(),
            secret.replace('\'', r"'\''"),
            secret.replace('\'', r#"'"'"'"#),
            secret.chars().map(shell).collect(),
            percent("-._~", large),
            percent("-._~", small),
            percent("-._~", large).replace("%20", "+"),
            percent("-._~!$&'()*+,;=:@/?", large),
            percent("-._~!$&'()*+,;=:@/?", small),
        ];
        for text in forms {
            assert_eq!(redactor.redact(&text).trim_matches('"'), REDACTED, "{character:?} in {text:?}");
        }
    }
}

#[test]
fn secrets_are_found_in_base64() {
    let redactor = redactor(&["hunter2"]);
    let check = |text: &str, expect: &str| assert_eq!(redactor.redact(text), expect);
    // These are encodings of `hunter2`, `me:hunter2`, `x:hunter2:x` and `:hunter2`.
    check("aHVudGVyMg==", "(sensitive)g==");
    check("bWU6aHVudGVyMg==", "bWU6(sensitive)g==");
    check("eDpodW50ZXIyOng=", "eDp(sensitive)Ong=");
    check("Omh1bnRlcjI=", "Om(sensitive)I=");
}

#[test]
fn what_is_everywhere_cannot_be_hidden() {
    let redactor = Redactor::new();
    for short in ["", "a", "abc", "   \n ", " abc ", "true", "false", "null", "sensitive", "(sensitive)"] {
        assert!(!redactor.hide(short), "{short:?}");
    }
    assert!(redactor.is_empty());
    assert!(redactor.hide("1234"));
}

/// A secret is found at every position, although not every byte is examined.
///
/// This also holds next to longer and shorter secrets.
#[test]
fn secrets_are_found_at_every_place() {
    const SECRETS: [&str; 5] =
        ["a-secret-of-many-more-bytes-than-a-window", "correct horse", "hunter2", "pwd-9", "9q\u{e9}7"];
    for count in 1..=SECRETS.len() {
        // Adding a shorter secret later changes the positions that are examined for the earlier ones.
        let secrets = &SECRETS[..count];
        let hidden = redactor(secrets);
        for secret in secrets {
            for (before, after) in (0..40).flat_map(|before| [(before, 0), (before, 1), (before, 40)]) {
                let [before, after] = [before, after].map(|length| "x".repeat(length));
                let text = format!("{before}{secret}{after}");
                assert_eq!(hidden.redact(&text), format!("{before}{REDACTED}{after}"), "{text}");
            }
        }
    }
}

#[test]
fn the_first_secret_is_announced_before_it_is_kept() {
    let (sender, received) = std::sync::mpsc::channel();
    let redactor = Redactor::with_notice(move || sender.send(()).unwrap());
    assert_eq!(received.try_iter().count(), 0);
    assert!(redactor.hide("hunter2"));
    assert!(redactor.clone().hide("hunter3"));
    assert_eq!(received.try_iter().count(), 1);
}

/// Returns the output of a writer that gets a text in pieces of these lengths.
fn in_pieces(redactor: &Redactor, text: &str, lengths: &[usize]) -> String {
    let mut output = Vec::new();
    let mut writer = redactor.writer(&mut output);
    let mut rest = text.as_bytes();
    for length in lengths.iter().cycle() {
        let (piece, after) = rest.split_at((*length).clamp(1, rest.len().max(1)).min(rest.len()));
        writer.write_all(piece).unwrap();
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    drop(writer);
    String::from_utf8(output).unwrap()
}

#[test]
fn a_stream_is_redacted_across_its_pieces() {
    let long = "0123456789abcdefghijklmnopqrstuvwxyz".repeat(40);
    let redactor = redactor(&["hunter2", &long]);
    let text = format!("é{long}é hunter2hunter2 é {long}");
    for length in [1, 2, 7, 15, 16, 17, 100, 10_000] {
        assert_eq!(in_pieces(&redactor, &text, &[length]), redactor.redact(&text), "{length}");
    }
}

proptest! {
    #[test]
    fn no_output_holds_a_secret(
        // The small alphabet makes secrets overlap and repeat.
        secrets in prop::collection::vec("[ab\"\\\\ é\n]{4,40}", 1..6),
        between in prop::collection::vec("[ab\"\\\\ é\n-]{0,9}", 1..8),
        lengths in prop::collection::vec(1_usize..40, 1..5),
    ) {
        let redactor = Redactor::new();
        let hidden: Vec<&String> = secrets.iter().filter(|secret| redactor.hide(secret)).collect();
        let mut text = String::new();
        for (index, fragment) in between.iter().enumerate() {
            text.push_str(fragment);
            text.push_str(&secrets[index % secrets.len()]);
            text.extend(secrets[index % secrets.len()].escape_debug());
        }
        let complete = redactor.redact(&text).into_owned();
        let streamed = in_pieces(&redactor, &text, &lengths);
        for secret in hidden {
            let secret = secret.trim();
            let is_ruler = secret.chars().collect::<std::collections::BTreeSet<_>>().len() < 3;
            prop_assert!(!complete.contains(secret) || is_ruler && secret.len() > 16, "{secret:?} in {complete:?}");
            prop_assert!(!streamed.contains(secret) || is_ruler && secret.len() > 16, "{secret:?} in {streamed:?}");
        }
    }

    #[test]
    fn base64_holds_no_secret(before in "[a-z]{0,5}", secret in "[A-Za-z0-9]{6,30}", after in "[a-z]{0,5}") {
        let redactor = redactor(&[&secret]);
        let plain_text = format!("{before}{secret}{after}");
        let mut encoded = Vec::new();
        super::encodings::visit_forms(&plain_text, |form| {
            if form.len() > encoded.len() {
                form.clone_into(&mut encoded);
            }
        });
        let encoded = String::from_utf8(encoded).unwrap();
        prop_assert!(redactor.is_in(&encoded), "{encoded}");
    }
}

#[test]
fn the_work_is_linear() {
    // The secrets begin alike, and each nearly matches at every position. A separate search for each would
    // examine 10^10 bytes.
    let redactor = Redactor::new();
    for number in 0..2_000 {
        assert!(redactor.hide(&format!("password-{number:08}")));
        assert!(redactor.hide(&format!("{}-{number}", "a".repeat(60))));
    }
    let text = "a".repeat(200_000) + "password-00001999";
    assert!(redactor.redact(&text).ends_with(REDACTED));
}

#[test]
fn names_are_shown_although_they_contain_a_secret() {
    let redactor = redactor(&["root", "webmaster"]);
    for name in ["file.content.root", "param.webmaster", "user.user[\"root\"]"] {
        assert!(redactor.keep_name(name), "{name}");
    }
    let check = |text: &str, expect: &str| assert_eq!(redactor.redact(text), expect, "{text:?}");
    check("+ file.content.root  will change", "+ file.content.root  will change");
    check("root/module.m/file.content.root.mode", "root/module.m/file.content.root.mode");
    check("user.user[\"root\"] is root", "user.user[\"root\"] is (sensitive)");
    check("parameter `webmaster` is `webmaster`", "parameter `webmaster` is `(sensitive)`");
    check("/root/x file.content.roots", "/(sensitive)/x file.content.(sensitive)s");
    let redactor = redactor.clone();
    redactor.hide("hunter2 horse");
    assert!(!redactor.keep_name("task.hunter2 horse"));
    assert_eq!(redactor.redact("task.hunter2 horse"), "task.(sensitive)");
}

#[test]
fn passwords_of_urls_are_hidden() {
    let check = |text: &str, expect: &str| {
        let redactor = Redactor::new();
        redactor.hide_credentials(text);
        assert_eq!(redactor.redact(text), expect, "{text:?}");
    };
    check("http://ada:correct-horse@h:9/x", "http://ada:(sensitive)@h:9/x");
    check("source = \"https://ada:a:b@c@h/x\"", "source = \"https://ada:(sensitive)@h/x\"");
    check("git+ssh://ada:abc@h https://:12345@i", "git+ssh://ada(sensitive)h https://:(sensitive)@i");
    check("https://ada@h:80/x https://h:80/a@b", "https://ada@h:80/x https://h:80/a@b");
    check("https://ada:{{param `password`}}@h/x", "https://ada:{{param `password`}}@h/x");
    check("https://ada:${PASSWORD}@h/x", "https://ada:${PASSWORD}@h/x");
}
