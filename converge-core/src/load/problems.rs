//! What is wrong with a load.

use super::unresolved::Unresolved;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// What is wrong with a load, so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) diagnostics: Diagnostics,
    pub(super) unresolved: Unresolved,
}

impl Problems {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}
