use converge_core::prelude::*;

/// What kind of answer a question has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum QuestionType {
    /// A text.
    String,
    /// Yes or no.
    Boolean,
    /// One of several.
    Select,
    /// Some of several.
    Multiselect,
    /// A text that nobody may see.
    Password,
}
