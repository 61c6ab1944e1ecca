//! Tests of entry names and link targets.

use std::path::{Component, Path};

use proptest::prelude::*;

use crate::net::unarchive::path::{EntryPath, LinkTarget};

#[test]
fn names_of_entries() {
    let check = |name: &str, expect: &str| {
        let actual = match EntryPath::parse(name.as_bytes()) {
            Ok(Some(path)) => path.to_string(),
            Ok(None) => "the destination".to_owned(),
            Err(problem) => problem,
        };
        assert_eq!(actual, expect, "{name:?}");
    };
    check("a", "a");
    check("a//b/./c/", "a/b/c");
    check("./", "the destination");
    check(".", "the destination");
    check("a\\..\\b", "a\\..\\b");
    check("..a/b..", "..a/b..");
    check("/", "is an absolute path");
    check("a/..", "leads out of the destination through `..`");
    check("a\0b", "has a name with a NUL in it");
    check(&"x".repeat(256), "has a name that is too long");
    check(&"x/".repeat(2048), "has a name that is too long");
}

#[test]
fn targets_of_links() {
    let check = |target: &str, depth: usize, expect: Option<&str>| {
        let result = LinkTarget::parse(target.as_bytes(), depth);
        let result = result.err();
        let expect = expect.map(|problem| format!("is a symbolic link to {target:?}{problem}"));
        assert_eq!(result, expect, "{target:?} at {depth}");
    };
    let out = Some(", which is outside of the destination");
    check("a", 0, None);
    check("./a/b", 0, None);
    check("..", 1, None);
    check(".././../a", 2, None);
    check("..", 0, out);
    check("../../a", 1, out);
    check("/a", 5, out);
    check("a/..", 5, Some(": only the beginning of where it leads may be `..`"));
}

proptest! {
    /// Compares the result with the path components of the standard library.
    #[test]
    fn a_name_is_below_the_destination_or_refused(name in "[a/.\0\\\\é]{0,12}") {
        let has_component = |is_match: fn(&Component<'_>) -> bool| Path::new(&name).components().any(|component| is_match(&component));
        let is_invalid = name.is_empty()
            || name.contains('\0')
            || has_component(|component| matches!(component, Component::ParentDir | Component::RootDir));
        let parsed = EntryPath::parse(name.as_bytes());
        prop_assert_eq!(parsed.is_err(), is_invalid);
        if let Ok(Some(path)) = parsed {
            let normal: std::path::PathBuf =
                Path::new(&name).components().filter(|component| matches!(component, Component::Normal(_))).collect();
            let text = path.to_string();
            prop_assert_eq!(Path::new(&text), &*normal);
            prop_assert_eq!(path.depth() + 1, normal.components().count());
        }
    }

    #[test]
    fn no_bytes_are_too_bad(name in prop::collection::vec(any::<u8>(), 0..40), depth in 0..4_usize) {
        let _ = EntryPath::parse(&name);
        let _ = LinkTarget::parse(&name, depth);
    }
}
