//! Checks of the footprint attributes of a field.

use super::field::HclField;
use crate::attr::{FootprintAttr, FootprintName};
use crate::error_collector::Ctxt;

/// The kinds of things of the built-in types; a type may name others.
const KINDS: [&str; 14] = [
    "container",
    "group",
    "home",
    "home_dir",
    "image",
    "lines",
    "network",
    "package",
    "path",
    "port",
    "unit",
    "user",
    "volume",
    "volume_group",
];
/// The aspects of a path of the built-in types.
const ASPECTS: [&str; 9] =
    ["content", "existence", "group", "mode", "mount", "owner", "parents", "target", "tree"];

pub(super) fn check(cx: &Ctxt, field: &HclField<'_>) {
    for attr in &field.attrs.footprint {
        misspelt(cx, attr, "a kind", &attr.kind, &KINDS);
        if let ("path", Some(aspect)) = (attr.kind.as_str(), &attr.aspect) {
            misspelt(cx, attr, "an aspect of a path", aspect, &ASPECTS);
        }
        match &attr.name {
            // Footprints are shown, so a sensitive value must not be a name.
            FootprintName::Own if field.attrs.sensitive.is_some() => {
                cx.error(
                    &attr.literal,
                    "a sensitive field cannot name a thing, because names of things are shown",
                );
            }
            FootprintName::Field(other) if *other == field.name => {
                let message = format!("a field names its things itself: leave out ` of {other}`");
                cx.error(&attr.literal, message);
            }
            _ => {}
        }
    }
}

/// Refuses a word that is one letter away from a known one.
fn misspelt(cx: &Ctxt, attr: &FootprintAttr, subject: &str, word: &str, known: &[&str]) {
    if known.contains(&word) {
        return;
    }
    if let Some(meant) = known.iter().find(|known| is_misspelt(word, known)) {
        let message = format!(
            "{word:?} is one letter away from {subject}, `{meant}`: write `{meant}`, or a word that is less alike"
        );
        cx.error(&attr.literal, message);
    }
}

/// Whether a word differs from another one by a missing, an added or two swapped letters.
///
/// A word of five letters or more may also have another letter in one place. Short words that differ in one letter are
/// often different words: `part` and `port`.
fn is_misspelt(word: &str, meant: &str) -> bool {
    let (word, meant) = (word.as_bytes(), meant.as_bytes());
    let start = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (word, meant) = (&word[start..], &meant[start..]);
    match (word, meant) {
        ([_, rest @ ..], _) if rest == meant => true,
        (_, [_, rest @ ..]) if rest == word => true,
        ([a, b, rest @ ..], [c, d, other @ ..]) if (a, b) == (d, c) && rest == other => true,
        ([_, rest @ ..], [_, other @ ..]) => rest == other && start + other.len() >= 4,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_misspelt;

    #[test]
    fn words_that_are_one_letter_away() {
        for (word, meant) in [
            ("pth", "path"),
            ("pathh", "path"),
            ("ptah", "path"),
            ("users", "user"),
            ("contnt", "content"),
            ("packege", "package"),
        ] {
            assert!(is_misspelt(word, meant), "{word} for {meant}");
        }
        for (word, meant) in
            [("part", "port"), ("host", "home"), ("zone", "home"), ("database", "package"), ("role", "mode")]
        {
            assert!(!is_misspelt(word, meant), "{word} for {meant}");
        }
    }
}
