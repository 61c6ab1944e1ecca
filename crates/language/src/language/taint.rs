//! The secrecy and unknown values that a result depends on.

use crate::types::value::Unknown;

/// The secrecy and unknown values that influenced a text or an evaluation so far.
///
/// `try` and `can` reveal whether something failed. Their results must be as secret and as unknown as
/// everything that the failure depends on.
#[derive(Debug, Default)]
pub(crate) struct Taint {
    pub(crate) secret: bool,
    /// The first unknown value.
    pub(crate) unknown: Option<Unknown>,
}

impl Taint {
    pub(crate) fn note_unknown(&mut self, unknown: &Unknown) {
        self.unknown.get_or_insert_with(|| unknown.clone());
    }

    /// Ends an observation that began when `self` was taken as `before`, and returns what was observed.
    ///
    /// Afterwards `self` includes both.
    pub(crate) fn merge(&mut self, before: Self) -> Self {
        let observed = std::mem::replace(self, before);
        self.secret |= observed.secret;
        if let Some(unknown) = &observed.unknown {
            self.note_unknown(unknown);
        }
        observed
    }
}
