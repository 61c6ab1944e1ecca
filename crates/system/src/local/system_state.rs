//! State that a local system shares with its open files and directories.

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
    /// The maximum file size in bytes, if limited.
    #[cfg(unix)]
    pub(super) file_size_limit: Option<u64>,
}
