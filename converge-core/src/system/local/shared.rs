//! What the parts of a local system have in common, and open files and directories keep.

use super::names::Names;
use super::place::Place;
use super::pool::Pool;
use super::swept::Swept;

#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) swept: Swept,
    pub(super) pool: Pool,
    pub(super) names: Names,
    pub(super) place: Place,
    /// No file becomes larger.
    pub(super) file_size_limit: Option<u64>,
}
