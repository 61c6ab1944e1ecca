//! Tests of correct and incorrect use of the derives, with the crates of the generated code.
//!
//! The examples in the documentation of the derives run here, and the tests check the compiler messages for
//! mistakes.
//!
//! `converge-derive` cannot depend on these crates itself. Dependencies of a macro crate are built for the
//! build machine, so cargo would build all of them a second time.

/// Runs the examples of documentation pages.
macro_rules! examples {
    ($($page:literal)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../../converge-derive/docs/", $page, ".md"))]
        const _: () = ();
    )*};
}

examples!("preparer" "export" "block" "enum" "text" "stored_resource" "stored_message" "stored_enum" "stored_oneof");
