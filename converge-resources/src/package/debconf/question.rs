use converge_sdk::prelude::*;

/// The type of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(super) enum QuestionType {
    /// A text.
    String,
    /// A yes or no question.
    Boolean,
    /// One of several choices.
    Select,
    /// Several of the choices.
    Multiselect,
    /// A secret text.
    Password,
}
