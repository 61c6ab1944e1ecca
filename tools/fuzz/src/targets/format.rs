//! A target for the formatter, which must keep the syntax tree and be idempotent.

use std::borrow::Cow;

use converge_core::diagnostic::SourceMap;
use converge_core::syntax;

use crate::tree;

pub(crate) fn run(bytes: &[u8]) {
    check(&String::from_utf8_lossy(bytes));
}

pub(crate) fn check(text: &str) {
    let file = SourceMap::new().add("fuzz.hcl", text);
    let Ok(first) = syntax::format(file, text) else { return };
    let (before, _) = syntax::parse(file, text);
    let (after, mistakes) = syntax::parse(file, &first);
    assert!(!mistakes.has_errors(), "{text:?} becomes {first:?}: {mistakes:?}");
    assert_eq!(tree::without_places(&before), tree::without_places(&after), "{text:?} becomes {first:?}");
    let second = syntax::format(file, &first);
    assert!(matches!(second, Ok(Cow::Borrowed(_))), "{text:?} becomes {first:?}, and that {second:?}");
}
