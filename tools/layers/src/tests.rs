use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::drawing;
use crate::imports::{Folders, Imports};
use crate::rules;
use crate::source::Target;

fn folders(files: &[(&str, &str)]) -> BTreeMap<PathBuf, Imports> {
    let files =
        files.iter().map(|(path, text)| (Path::new("a/src").join(path), (*text).to_owned())).collect();
    let target = Target { name: "own_name".into(), root: "a/src/lib.rs".into(), files };
    Folders::read(&target).expect("the sources can be read").folders
}

/// Checks the imports of a crate with these files, as sorted lines `FOLDER: FROM -> TO`.
///
/// An empty file is omitted.
#[track_caller]
fn check(files: &[(&str, &str)], expect: &[&str]) {
    let mut problems = Vec::new();
    for (folder, imports) in folders(files) {
        let folder = folder.strip_prefix("a/src").expect("it is in the crate");
        let edge = |(from, to): &(String, String)| format!("{}: {from} -> {to}", folder.display());
        problems.extend(imports.keys().map(edge));
    }
    assert_eq!(problems, expect, "{files:?}");
}

/// Checks the cycles and upward imports of a crate with the layers `low` and `high`.
#[track_caller]
fn refused(files: &[(&str, &str)], expect: &[&str]) {
    let mut errors = Vec::new();
    for (folder, imports) in folders(files) {
        if folder == Path::new("a/src") {
            errors.extend(rules::upward(&imports, &["low", "high"]));
        }
        errors.extend(rules::import_cycles(&folder, &imports));
    }
    assert_eq!(errors, expect, "{files:?}");
}

const ROOT: (&str, &str) = ("lib.rs", "mod low; mod high;");
const NONE: (&str, &str) = ("high.rs", "");

#[test]
fn downward_imports_are_allowed() {
    refused(
        &[ROOT, ("low.rs", "pub struct A;"), ("high.rs", "use crate::low::A;\nfn f() -> super::low::A {}")],
        &[],
    );
}

#[test]
fn upward_imports_are_refused() {
    let upward = "upward: low -> high\n    a/src/low.rs:1: ";
    for path in ["crate::high::A", "super::high::A", "own_name::high::A", "crate::high"] {
        refused(&[ROOT, ("low.rs", &format!("use {path};")), NONE], &[&format!("{upward}{path}")]);
    }
    refused(&[ROOT, ("low.rs", "fn f() { crate::high::f() }"), NONE], &[&format!("{upward}crate::high::f")]);
    refused(
        &[("lib.rs", "mod low; struct Top;"), ("low.rs", "use crate::Top;")],
        &["upward: low -> lib.rs\n    a/src/low.rs:1: crate::Top"],
    );
}

#[test]
fn the_path_of_a_visibility_is_no_import() {
    refused(&[("lib.rs", "mod low;"), ("low.rs", "pub(in crate) struct A { pub(in crate) a: u8 }")], &[]);
    check(
        &[
            ("lib.rs", "mod low;"),
            ("low/mod.rs", "mod part;"),
            ("low/part.rs", "pub(in crate::low) struct A(pub(in crate::low) u8);"),
        ],
        &[],
    );
}

#[test]
fn rings_are_refused_with_their_places() {
    refused(
        &[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod b; mod c; mod d;"),
            ("a/b.rs", "use super::c::C;\nuse super::c::D;"),
            ("a/c.rs", "\nfn f() { super::d::f() }"),
            ("a/d.rs", "use crate::a::b::*;"),
        ],
        &[
            "ring in a/src/a: b -> c -> d -> b\n  b -> c\n    a/src/a/b.rs:1: super::c::C\n    a/src/a/b.rs:2: super::c::D\
           \n  c -> d\n    a/src/a/c.rs:2: super::d::f\n  d -> b\n    a/src/a/d.rs:1: crate::a::b::*",
        ],
    );
    refused(
        &[("lib.rs", "mod a; use a::A; pub struct B;"), ("a.rs", "use super::B;")],
        &[
            "ring in a/src: a -> lib.rs -> a\n  a -> lib.rs\n    a/src/a.rs:1: super::B\n  lib.rs -> a\n    a/src/lib.rs:1: a::A",
        ],
    );
}

#[test]
fn every_form_of_a_path_is_read() {
    let b = |code: &str, expect: &[&str]| {
        check(&[("lib.rs", "mod a; mod b;"), ("a.rs", "pub fn f() {}"), ("b.rs", code)], expect);
    };
    let edge: &[&str] = &[": b -> a"];
    for code in [
        "use crate::a;",
        "use crate::{a::{self, X as Y}};",
        "use super::a::*;",
        "pub use self::super::a::X;",
        "fn f(x: &mut Vec<super::a::X>) {}",
        "fn f() { use crate::a::X; }",
        "fn f() { println!(\"{}\", crate::a::f()); }",
        "fn f() { <crate::a::X as Y>::f() }",
        "macro_rules! m { () => { $crate::a::f() } }",
        "#[derive(X)] struct S { #[x(with = crate::a::f)] field: u8 }",
        "mod inner { use super::super::a::X; }",
        "mod inner { use crate::a::X; }",
    ] {
        b(code, edge);
    }
    for code in [
        "use std::a::X;",
        "// crate::a::X",
        "/// [`crate::a::X`]\nstruct S;",
        "const S: &str = \"crate::a\";",
        "fn f(a: X) { a.x() }",
        "use self::inner::X; mod inner {}",
        "#[cfg(test)] mod tests { use crate::a::X; }",
        "#[cfg(all(test, unix))] use crate::a::X;",
        "impl S { #[cfg(test)] fn f() { crate::a::f() } fn g() {} }",
        "fn f() -> impl X + use<'_> {}",
    ] {
        b(code, &[]);
    }
    b("#[cfg(not(test))] use crate::a::X;", edge);
    b("#[cfg(any(test, unix))] use crate::a::X;", edge);
}

#[test]
fn imports_belong_to_the_folder_that_has_both_ends() {
    let lib = ("lib.rs", "mod a; mod b;");
    let a = ("a/mod.rs", "mod x; pub mod y;");
    let leaf = ("b.rs", "");
    check(&[lib, a, ("a/x.rs", "use super::y::Y;"), ("a/y.rs", ""), leaf], &["a: x -> y"]);
    check(&[lib, a, ("a/x.rs", "use super::super::b::B;"), ("a/y.rs", ""), leaf], &[": a -> b"]);
    check(&[lib, a, ("a/x.rs", ""), ("a/y.rs", ""), ("b.rs", "use crate::a::y::Y;")], &[": b -> a"]);
    // A folder next to its file gives the same result.
    check(
        &[lib, ("a.rs", "mod x; mod y;"), ("a/x.rs", "use super::y::Y;"), ("a/y.rs", ""), leaf],
        &["a: x -> y"],
    );
    check(&[lib, ("a.rs", "mod x; pub struct A;"), ("a/x.rs", "use super::A;"), leaf], &["a: x -> a.rs"]);
}

#[test]
fn names_of_a_parent_lead_to_where_they_are_defined() {
    let a = |parent: &str, x: &str, expect: &[&str]| {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", parent),
            ("a/x.rs", x),
            ("a/y.rs", "pub struct Y; pub fn y() {}"),
        ];
        check(&[&files[..], &[("b.rs", "pub struct B;")]].concat(), expect);
    };
    a("mod x; mod y; struct A;", "use super::A;", &["a: x -> mod.rs"]);
    a("mod x; mod y; struct A;", "use super::*;", &["a: x -> mod.rs"]);
    a("mod x; mod y; pub use y::Y;", "use super::Y;", &["a: x -> y"]);
    a("mod x; mod y; pub use y::Y as Z;", "use crate::a::Z;", &["a: x -> y"]);
    a("mod x; mod y; pub use y::*;", "use super::Y;", &["a: x -> y"]);
    a("mod x; mod y; pub use self::y::{y, Y};", "fn f() { super::y() }", &["a: x -> y"]);
    // A name from another place is an import for both modules.
    a("mod x; mod y; use crate::b::B;", "use super::B;", &[": a -> b"]);
    a("mod x; mod y; use std::fmt::Debug;", "use super::Debug;", &["a: x -> mod.rs"]);
    // The root re-exports a name from below, where it is found.
    check(
        &[("lib.rs", "mod a; mod b; pub use b::B;"), ("a.rs", "use crate::B;"), ("b.rs", "")],
        &[": a -> b"],
    );
    // Outside of a folder, a re-export belongs to the folder.
    check(
        &[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "pub use crate::b::B;"),
            ("b.rs", ""),
            ("c.rs", "use crate::a::B;"),
        ],
        &[": a -> b", ": c -> a"],
    );
    // A macro is named at the root but belongs to its file.
    check(
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "crate::m!();"),
            ("b.rs", "#[macro_export] macro_rules! m { () => {} }"),
        ],
        &[": a -> b"],
    );
}

#[test]
fn declaring_and_re_exporting_is_no_import() {
    let a = |parent: &str, expect: &[&str]| {
        check(
            &[("lib.rs", "mod a;"), ("a/mod.rs", parent), ("a/x.rs", "pub struct X; pub fn x() {}")],
            expect,
        );
    };
    let edge: &[&str] = &["a: mod.rs -> x"];
    a("mod x; pub use x::X;", &[]);
    a("mod x; pub(crate) use self::x::*;", &[]);
    a("mod x; pub mod prelude { pub use super::x::X; }", &[]);
    a("mod x; use x::X;", edge);
    a("mod x; fn f() { x::x() }", edge);
    a("mod x; pub use x::X; struct S(X);", edge);
    a("mod x; pub use x::x; fn f() { x() }", edge);
    a("mod x; pub use x::*; fn f() { X::new() }", edge);
    a("mod x; pub use x::x; fn f(s: S) { s.x(); let x = 1; }", &[]);
}

#[test]
fn drawings_leave_out_what_other_arrows_imply() {
    let folders = folders(&[
        ("lib.rs", "mod low; mod mid; mod high; pub use high::X;"),
        ("low.rs", ""),
        ("mid.rs", "use crate::low::X;"),
        ("high.rs", "use crate::{low::X, mid::Y};"),
    ]);
    let imports = &folders[Path::new("a/src")];
    let drawing = drawing::mermaid(imports, &["low", "mid", "high"]);
    let expect =
        "```mermaid\nflowchart TD\n    high\n    mid\n    low\n    high --> mid\n    mid --> low\n```\n";
    assert_eq!(drawing, expect);
    let document = format!("a\n{}\nold\n{}\nb\n", drawing::BEGIN, drawing::END);
    let expect_document = format!("a\n{}\n{expect}{}\nb\n", drawing::BEGIN, drawing::END);
    assert_eq!(drawing::replace_drawing(&document, &drawing), Some(expect_document));
    assert_eq!(drawing::replace_drawing("a\n", &drawing), None);
}
