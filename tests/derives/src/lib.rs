//! How authors use the derives, rightly and wrongly, with the crates that the derives are written for: the examples in the documentation of the
//! derives are run here, and what the compiler says of mistakes is in the tests.
//!
//! `converge-derive` cannot have those crates itself: what a crate of macros needs for its tests is built for the machine that compiles, so
//! cargo would build all of them a second time.

/// Runs the examples of a page.
macro_rules! examples {
    ($($page:literal)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../../converge-derive/docs/", $page, ".md"))]
        const _: () = ();
    )*};
}

examples!("preparer" "export" "block" "enum" "text" "stored_resource" "stored_message" "stored_enum" "stored_oneof");
