//! The messages of the derives: each file in `tests/ui` holds one mistake and is named for it, and the
//! `.stderr` beside it holds what the compiler says.
//!
//! The messages belong to the toolchain that `rust-version` names. After a change of it or of a message,
//! write them anew with `TRYBUILD=overwrite cargo test -p converge-derive --test ui`, and read each changed
//! file: one message for each mistake, on the token that is wrong, saying what to write.

const DERIVES: [&str; 9] = [
    "preparer",
    "export",
    "block",
    "enum",
    "text",
    "stored_resource",
    "stored_message",
    "stored_enum",
    "stored_oneof",
];

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    for derive in DERIVES {
        cases.compile_fail(format!("tests/ui/{derive}/*.rs"));
    }
}

/// It is told here, as the tests of `converge-core` itself are built with all of its features.
#[test]
fn a_feature_that_is_missing_is_named() {
    trybuild::TestCases::new().compile_fail("tests/ui/features/*.rs");
}
