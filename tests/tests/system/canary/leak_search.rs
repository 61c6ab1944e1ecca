//! Collected output and the search for canaries in it.

use std::fmt::Write as _;

use converge_core::diagnostic::{Diagnostics, SourceMap};
use converge_core::engine::Event;
use converge_core::view::{json, render};

/// A part of every secret that no escaping changes.
const MARK: &str = "canary7f3a";

/// The secret of most tests: two lines, each with characters that some format escapes.
pub(super) const CANARY: &str = "Tr0ub'4dor \"canary7f3a\\ &é\nsecond=line/canary7f3a+%";

/// All output with its source.
#[derive(Debug, Default)]
pub(super) struct Everything {
    texts: Vec<(String, String)>,
}

impl Everything {
    pub(super) fn add(&mut self, source: &str, text: impl Into<String>) {
        self.texts.push((source.to_owned(), text.into()));
    }

    pub(super) fn diagnostics(&mut self, diagnostics: &Diagnostics, sources: &SourceMap) {
        self.add("diagnostics as text", render::diagnostics(diagnostics, sources, false));
        self.add("diagnostics with colours", render::diagnostics(diagnostics, sources, true));
        self.add("diagnostics as data", format!("{diagnostics:?}"));
        for diagnostic in diagnostics {
            self.add("a line", diagnostic.one_line(sources));
            self.add(
                "diagnostics as JSON",
                serde_json::to_string(&json::diagnostic(diagnostic, sources)).unwrap(),
            );
        }
    }

    pub(super) fn event(&mut self, event: &Event, sources: &SourceMap) {
        self.add("an event as data", format!("{event:?}"));
        self.add("an event as JSON", json::event(event, sources).unwrap().to_string());
    }

    /// Returns the outputs that contain a canary.
    pub(super) fn leaks(&self) -> String {
        let signs = signs(MARK);
        let mut leaks = String::new();
        for (source, text) in &self.texts {
            let lower = text.to_lowercase();
            if signs.iter().any(|sign| text.contains(sign.as_str())) || lower.contains(MARK) {
                writeln!(leaks, "{source}: {text}").unwrap();
            }
        }
        leaks
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.texts.iter().any(|(_, said)| said.contains(text))
    }
}

/// Returns the encodings of a word that escaping does not change: base64 at every offset.
fn signs(word: &str) -> Vec<String> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |before: usize| {
        let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(word.bytes()).collect();
        let bits: Vec<u8> =
            bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
        let digits = bits.chunks_exact(6).map(|bits| bits.iter().fold(0, |digit, bit| digit * 2 + bit));
        let text: String = digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect();
        text.chars().skip((before * 8).div_ceil(6)).collect()
    };
    (0..3).map(encode).chain([word.to_owned()]).collect()
}

#[test]
fn canaries_are_found() {
    let check = |text: &str| {
        let mut output = Everything::default();
        output.add("a test", text);
        assert!(!output.leaks().is_empty(), "{text}");
    };
    check("a canary7f3a b");
    check("CANARY7F3A");
    // Encodings of `canary7f3a`, `x:canary7f3a` and `xy:canary7f3a`.
    check("Y2FuYXJ5N2YzYQ==");
    check("eDpjYW5hcnk3ZjNh");
    check("eHk6Y2FuYXJ5N2YzYQ==");
    assert_eq!(Everything::default().leaks(), "");
}
