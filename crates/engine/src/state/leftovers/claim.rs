//! The result of claiming the file that programs inherit.

use super::super::holder::Leftover;

pub(crate) enum ClaimResult<I> {
    /// No program of a killed run is left.
    ///
    /// Programs inherit this descriptor from now on.
    Free(I),
    /// These programs of a killed run are left.
    ///
    /// The list may be empty if they cannot be seen.
    #[cfg_attr(windows, expect(dead_code, reason = "nothing is inherited there"))]
    By(Vec<Leftover>),
}
