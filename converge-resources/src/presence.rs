use converge_core::prelude::*;

/// Whether something is to exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub(crate) enum Presence {
    /// It exists.
    #[default]
    Present,
    /// It does not exist.
    Absent,
}
