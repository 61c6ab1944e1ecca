//! State that a local system shares with its open files and directories.

#[cfg(unix)]
use super::cleaned_folders::SweptFolders;
#[cfg(unix)]
use super::name_service::NameLookup;
use super::path_root::PathRoot;
use super::pool::Pool;

#[derive(Debug, Default)]
pub(super) struct Shared {
    #[cfg(unix)]
    pub(super) swept: SweptFolders,
    pub(super) pool: Pool,
    #[cfg(unix)]
    pub(super) names: NameLookup,
    pub(super) place: PathRoot,
    /// The maximum file size in bytes, if limited.
    #[cfg(unix)]
    pub(super) file_size_limit: Option<u64>,
}
