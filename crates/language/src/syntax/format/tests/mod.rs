//! Tests of the canonical form: tables of small cases, and laws over generated modules.

mod forms;
mod laws;
mod modules;

use std::borrow::Cow;

use super::format;
use crate::diagnostic::{Diagnostics, SourceMap};

fn formatted(text: &str) -> Result<Cow<'_, str>, Diagnostics> {
    format(SourceMap::new().add("a.hcl", text), text)
}

/// Asserts the formatted text, and that formatting it again changes nothing.
#[track_caller]
fn check(text: &str, expect: &str) {
    let formatted_text = formatted(text).unwrap_or_else(|errors| panic!("{text:?}: {errors:?}"));
    assert_eq!(formatted_text, expect, "{text:?}");
    let second_pass =
        formatted(&formatted_text).unwrap_or_else(|errors| panic!("{formatted_text:?}: {errors:?}"));
    assert!(matches!(second_pass, Cow::Borrowed(_)), "{formatted_text:?} becomes {second_pass:?}");
}
