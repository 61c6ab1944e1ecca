//! A law that is broken, with all that is needed to see it again.

use std::fmt;

use super::case::Case;
use super::law::Law;

/// How a resource breaks a law, on the smallest case that was found.
#[derive(Clone, Debug)]
pub struct Broken {
    pub(super) resource: &'static str,
    pub(super) law: Law,
    pub(super) reason: String,
    /// What broke it; none when there is no such case: nothing could be tried.
    pub(super) case: Option<Case>,
    /// How the laws of the resource are written in a test.
    pub(super) written: String,
}

impl Broken {
    /// The law.
    pub fn law(&self) -> Law {
        self.law
    }

    /// Where it is broken.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The law, where it is broken, and a test to paste.
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
