//! A broken law, with everything needed to reproduce it.

use std::fmt;

use super::case::Case;
use super::law::Law;
use converge_value::debug_as_text;

/// A broken law, with the smallest case that was found.
#[derive(Clone)]
pub struct Broken {
    pub(super) resource: &'static str,
    pub(super) law: Law,
    pub(super) reason: String,
    /// The case that breaks the law, or `None` if no case could be tried.
    pub(super) case: Option<Case>,
    /// The source of the `laws!` call in the author's test.
    pub(super) written: String,
}

debug_as_text!(Broken);

impl Broken {
    /// Returns the law that is broken.
    pub fn law(&self) -> Law {
        self.law
    }

    /// Returns the explanation of how the law is broken.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Writes the law, the explanation and a test to paste.
impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, law, reason, case, written } = self;
        writeln!(f, "`{resource}` breaks a law: {law}\n\n  {reason}")?;
        let Some(case) = case else { return Ok(()) };
        let case = case.to_string().replace('\n', "\n        ");
        write!(
            f,
            "\nA test that shows it:\n\n\
             #[test]\nfn found_by_the_laws() {{\n    \
             use converge_core::testing::laws::{{Case, Law, Laws}};\n    use converge_core::value::Value;\n\n    \
             let case = {};\n    {written}\n        .hold_on(Law::{law:?}, case);\n}}\n",
            case.replace("\n        ", "\n    "),
        )
    }
}

impl std::error::Error for Broken {}
