//! A stub for Windows, where programs inherit nothing.

use std::io;
use std::path::Path;

use super::super::holder::Leftover;
use super::claim::ClaimResult;
use crate::system::Marker;

#[derive(Debug)]
pub(crate) struct Inherited(Marker);

impl Inherited {
    /// Always succeeds, as there is no file to claim.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a file to open")]
    pub(crate) fn claim(_path: &Path) -> io::Result<ClaimResult<Self>> {
        Ok(ClaimResult::Free(Self(Marker::default())))
    }

    pub(crate) fn marker(&self) -> &Marker {
        &self.0
    }
}

/// Returns nothing, because the programs of a run cannot be identified.
pub(crate) fn find_leftovers(_path: &Path) -> Vec<Leftover> {
    Vec::new()
}
