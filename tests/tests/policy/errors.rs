//! Rules for the error types of the public API.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{files, none, read};

/// Returns the names of the error types in the lists of public items.
fn error_types() -> BTreeSet<String> {
    let lists = files(|path| path.starts_with("docs/api"));
    let texts = lists.iter().map(|list| read(list));
    let names = texts.flat_map(|text| {
        let names = text.lines().filter_map(|line| {
            let (head, name) = line.split_once("Error for ")?;
            let is_error = head.starts_with("impl") && head.ends_with(' ');
            let name: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
            is_error.then_some(name)
        });
        names.collect::<Vec<_>>()
    });
    names.collect()
}

#[test]
fn errors_that_leave_main_are_readable() {
    let is_source = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    let sources: Vec<String> = files(is_source).iter().map(|path| read(path)).collect();
    let is_readable = |name: &str| {
        let forms = [format!("debug_as_text!({name});"), format!("Debug for {name} ")];
        sources.iter().any(|text| forms.iter().any(|form| text.contains(form)))
    };
    let names = error_types();
    assert!(names.len() > 50, "the lists of public items are not read: {names:?}");
    let unreadable = names.into_iter().filter(|name| !is_readable(name)).collect();
    none(&unreadable, "`main` prints the `Debug` form of an error: implement it with `debug_as_text!`");
}
