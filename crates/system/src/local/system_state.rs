//! What the parts of a local system have in common, and open files and directories keep.

#[cfg(unix)]
use super::cleaned_folders::Swept;
#[cfg(unix)]
use super::name_service::Names;
use super::path_root::Place;
use super::pool::Pool;

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
