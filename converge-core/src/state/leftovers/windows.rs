//! Nothing is inherited.

use std::io;
use std::path::Path;

use super::super::holder::Leftover;
use super::claimed::Claimed;
use crate::system::Marker;

/// What the programs of a run have to inherit, which is nothing.
#[derive(Debug)]
pub(crate) struct Inherited(Marker);

impl Inherited {
    /// Nobody else claims it, and it is always free.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is a file to open")]
    pub(crate) fn claim(_path: &Path) -> io::Result<Claimed<Self>> {
        Ok(Claimed::Free(Self(Marker::default())))
    }

    pub(crate) fn marker(&self) -> &Marker {
        &self.0
    }
}

/// What is left cannot be told from other programs.
pub(crate) fn left(_path: &Path) -> Vec<Leftover> {
    Vec::new()
}
