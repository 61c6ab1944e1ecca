//! Laws of the parser that hold for every text.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::super::lexer::{Lexer, TokenKind};
use super::super::literal::decode;
use super::super::parser::Parser;
use super::super::{Item, literal_range, literal_ranges};
use super::forms::without_places;
use super::parsed;
use converge_system::testing::mutate::mutated;

/// Fragments with a meaning to the lexer, so that random texts reach deep into the parser.
const PIECES: &[&str] = &[
    "t \"x\" {\n",
    "}\n",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    ":",
    "\"",
    "\\",
    "\\\"",
    "\\x4",
    "${",
    "$",
    "<<EOF\n",
    "<<-E\n",
    "EOF\n",
    "  E\n",
    "\n",
    "\r\n",
    " ",
    "# c\n",
    "// c\n",
    "/* ",
    "*/",
    "a",
    "a.b",
    "é",
    "日",
    "\u{feff}",
    "0",
    "07",
    "0x",
    "1.5",
    "-",
    "1e",
    "true",
    "a = 1\n",
    "b = \"c\"\n",
    "d = [1, 2]\n",
    "e = { f = 1 }\n",
    "?",
    "param.x",
    "f(",
    "...",
    "[*]",
    "[for x in y : x]",
    "{for k, v in m : k => v}",
    "(k) = 1\n",
    "==",
    "&&",
    "!",
    "null",
    "\u{0}",
    ";",
];

fn sources() -> Vec<String> {
    let cases: Json = serde_json::from_str(super::original::CASES).unwrap();
    cases["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["source"].as_str().unwrap().to_owned())
        .collect()
}

/// Generates mutations of the original's test cases.
fn mutants() -> impl Strategy<Value = String> {
    (prop::sample::select(sources()), changes()).prop_map(|(text, changes)| mutated(&text, PIECES, changes))
}

/// Generates the input of [`mutated`]: about eight bytes per change.
pub(super) fn changes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..60)
}

pub(super) fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => mutants(),
        2 => prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => prop::collection::vec(any::<u8>(), 0..80).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

/// Generates a text and a string literal for it, with each character in one of its possible spellings.
pub(super) fn written() -> impl Strategy<Value = (String, String)> {
    let character = prop_oneof![
        prop::sample::select(vec!['a', '"', '\\', '\n', '\r', '\t', 'é', '$', '{', '}', '😀']),
        any::<char>()
    ];
    prop::collection::vec((character, 0u8..4), 0..20).prop_map(|characters| {
        let mut raw = String::from("\"");
        let mut text = String::new();
        for (c, form) in characters {
            text.push(c);
            let bytes = c.to_string().into_bytes();
            match form {
                // `${` begins an interpolation, and a line end ends the string.
                0 if !matches!(c, '"' | '\\' | '\n' | '$') => raw.push(c),
                0 | 1 => write!(raw, "\\U{:08x}", u32::from(c)).unwrap(),
                2 => bytes.iter().for_each(|byte| write!(raw, "\\x{byte:02X}").unwrap()),
                _ => bytes.iter().for_each(|byte| write!(raw, "\\{byte:03o}").unwrap()),
            }
        }
        raw.push('"');
        (raw, text)
    })
}

/// Generates a value as source and as JSON; `␣` marks possible space.
fn values() -> impl Strategy<Value = (String, Json)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|value| (value.to_string(), json!(value))),
        any::<i64>().prop_map(|value| (value.to_string(), json!(value))),
        written().prop_map(|(raw, text)| (raw, json!(text))),
        "[a-z $\\\\{}\"]{0,9}".prop_map(|text| (format!("<<E\n{text}\nE\n"), json!(format!("{text}\n")))),
    ];
    leaf.prop_recursive(4, 24, 4, |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..4).prop_map(|values| {
                let (texts, values): (Vec<String>, Vec<Json>) = values.into_iter().unzip();
                (format!("[␣{}␣]", texts.join("␣,␣")), Json::Array(values))
            }),
            prop::collection::vec(value, 0..4).prop_map(|values| {
                let (texts, values): (Vec<String>, Vec<(String, Json)>) = values
                    .into_iter()
                    .enumerate()
                    .map(|(n, (written, value))| (format!("k{n}␣=␣{written}"), (format!("k{n}"), value)))
                    .unzip();
                (format!("{{␣{}␣}}", texts.join("␣")), Json::Object(values.into_iter().collect()))
            }),
        ]
    })
}

/// Generates the items of a block, as source and as JSON.
fn bodies() -> impl Strategy<Value = (String, Json)> {
    let attributes = prop::collection::vec(values(), 0..4).prop_map(|values| {
        let (texts, items): (Vec<String>, Vec<Json>) = values
            .into_iter()
            .enumerate()
            .map(|(n, (written, value))| {
                let name = format!("a.{n}");
                (format!("{name}␣=␣{written}"), json!({ "key": name, "val": value }))
            })
            .unzip();
        (texts.join("␣"), Json::Array(items))
    });
    attributes.prop_recursive(3, 12, 3, |body| {
        prop::collection::vec(body, 0..3).prop_map(|bodies| {
            let (texts, items): (Vec<String>, Vec<Json>) = bodies
                .into_iter()
                .map(|(written, items)| {
                    let block = json!({ "body": items, "keys": ["b.c", "l"] });
                    (format!("b.c␣\"l\"␣{{␣{written}␣}}"), block)
                })
                .unzip();
            (texts.join("␣"), Json::Array(items))
        })
    })
}

/// The texts that may stand between two tokens.
const SPACES: &[&str] = &[" ", "\n", "\t", "\r\n", " # }\n", "/* \" */", "// {\n", "\n\n  "];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_text_gives_a_tree_or_places(text in texts()) {
        let parsed = parsed(&text);
        for diagnostic in &parsed.diagnostics {
            for label in &diagnostic.labels {
                prop_assert!(text.get(label.span.range()).is_some(), "{:?}", label);
            }
        }
    }

    #[test]
    fn an_item_means_the_same_alone(text in prop_oneof![texts(), bodies().prop_map(|(text, _)| text.replace('␣', " "))]) {
        let complete = parsed(&text);
        let start = |item: &Item| match item {
            Item::Attribute(attribute) => attribute.name.range.start as usize,
            Item::Block(block) => block.range.start as usize,
        };
        let starts: Vec<usize> = complete.body.items.iter().map(start).collect();
        prop_assert!(starts.is_sorted(), "items are in order");
        if complete.diagnostics.is_empty() {
            let item_ends = starts.iter().copied().skip(1).chain([text.len()]);
            for ((item, start), end) in complete.body.items.iter().zip(&starts).zip(item_ends) {
                let alone = parsed(&text[*start..end]);
                let [read] = alone.body.items.as_slice() else { panic!("{:?}", alone.body) };
                prop_assert_eq!(without_places(alone.item(read)), without_places(complete.item(item)));
            }
        }
    }

    #[test]
    fn what_is_written_plainly_is_read_once((text, _) in bodies()) {
        let text = text.replace('␣', "\n");
        let mut parser = Parser::new(&text, 0);
        parser.top_level_items(0, &|| true, &mut drop);
        let scanned = parser.lexer.scanned;
        let mut lexer = Lexer::new(&text, 0);
        while lexer.next_token().kind != TokenKind::End {}
        prop_assert_eq!(scanned, lexer.scanned);
    }

    #[test]
    fn layout_does_not_matter(
        (text, expect) in bodies(),
        spaces in prop::collection::vec(prop::sample::select(SPACES), 1..9),
    ) {
        let mut spaces = spaces.iter().cycle();
        let text: String = text.split('␣').flat_map(|piece| [piece, spaces.next().unwrap()]).collect();
        let parsed = parsed(&text);
        prop_assert!(parsed.diagnostics.is_empty(), "{}: {:?}", text, parsed.diagnostics);
        prop_assert_eq!(without_places(parsed.items(&parsed.body)), expect, "{}", text);
    }

    #[test]
    fn decoding_undoes_writing((raw, text) in written()) {
        prop_assert_eq!(&*decode(&raw), text.as_str());
        let source = format!("a = {raw}");
        let parsed = parsed(&source);
        prop_assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    }

    #[test]
    fn a_part_of_a_text_is_written_where_it_says((raw, text) in written(), a in 0usize..40, b in 0usize..40) {
        let boundary = |offset: usize| (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap();
        let (start, end) = (boundary(a.min(b)), boundary(a.max(b)));
        let range = literal_range(&raw, start..end);
        let slice = raw.get(range).unwrap();
        let slice = format!("\"{slice}\"");
        prop_assert_eq!(&*decode(&slice), &text[start..end]);
    }

    #[test]
    fn any_range_of_any_text_is_within_it(text in texts(), a in 0usize..60, b in 0usize..60) {
        for raw in [text.clone(), format!("\"{text}\""), format!("<<-E\n{text}\n  E")] {
            let range = literal_range(&raw, a..b);
            prop_assert!(range.start <= range.end && range.end <= raw.len());
        }
    }

    #[test]
    fn many_ranges_are_where_each_of_them_is(
        (raw, _) in written(),
        ranges in proptest::collection::vec((0usize..40, 0usize..40), 0..6),
    ) {
        let ranges: Vec<_> = ranges.into_iter().map(|(a, b)| a..b).collect();
        let individual: Vec<_> = ranges.iter().map(|range| literal_range(&raw, range.clone())).collect();
        prop_assert_eq!(literal_ranges(&raw, &ranges), individual);
    }
}
