//! What became of an attempt to claim the file.

use super::super::holder::Leftover;

/// Whether programs of a killed run are still there.
pub(crate) enum Claimed<I> {
    /// None is; from now on programs inherit this.
    Free(I),
    /// These are; none of them may be visible from here.
    #[cfg_attr(windows, expect(dead_code, reason = "nothing is inherited there"))]
    By(Vec<Leftover>),
}
