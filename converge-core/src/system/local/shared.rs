//! What the parts of a local system have in common, and open files and directories keep.

#[cfg(unix)]
use super::names::Names;
use super::place::Place;
use super::pool::Pool;
#[cfg(unix)]
use super::swept::Swept;

#[derive(Debug, Default)]
pub(super) struct Shared {
    #[cfg(unix)]
    pub(super) swept: Swept,
    pub(super) pool: Pool,
    #[cfg(unix)]
    pub(super) names: Names,
    pub(super) place: Place,
    /// No file becomes larger.
    #[cfg(unix)]
    pub(super) file_size_limit: Option<u64>,
}
