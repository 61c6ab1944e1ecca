//! What the parts of a local system have in common, and open files and directories keep.

use super::pool::Pool;
use super::swept::Swept;

#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) swept: Swept,
    pub(super) pool: Pool,
}
