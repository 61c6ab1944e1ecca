//! Updates of the package lists when they are too old.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use converge_sdk::prelude::*;
use converge_sdk::system::Follow;

use super::apt_get::{Apt, AptFailure};
use super::error::AptError;
use super::explain;

const LISTS: &str = "/var/lib/apt/lists";

/// Names in the directory of the lists that are not lists.
const NO_LISTS: [&str; 3] = ["lock", "partial", "auxfiles"];

/// The directory with the time stamps of apt.
const STAMPS: &str = "/var/lib/apt/periodic";

/// The file that is touched after each successful update, as Ubuntu configures apt.
const STAMP: &str = "/var/lib/apt/periodic/update-success-stamp";

/// The files and directories that declare repositories.
const SOURCES: [&str; 2] = ["/etc/apt/sources.list", "/etc/apt/sources.list.d"];

/// The condition for fetching the lists before packages are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::package) enum Update {
    Never,
    /// If a package cannot be installed and there are no lists at all, as on a new machine.
    WhenThereAreNone,
    /// Once in each run, and again after a change of the files in `/etc/apt` that declare the repositories.
    Always,
    /// If the lists are older than this, or than those files.
    OlderThan(Duration),
}

impl Update {
    pub(in crate::package) fn new(update: Option<bool>, cache_valid_time: Option<Duration>) -> Self {
        match (cache_valid_time, update) {
            (Some(age), _) => Self::OlderThan(age),
            (None, Some(true)) => Self::Always,
            (None, Some(false)) => Self::Never,
            (None, None) => Self::WhenThereAreNone,
        }
    }

    pub(super) async fn is_due(self, cx: &Context) -> Result<bool> {
        let fetched = newest(cx, &[STAMP.into(), LISTS.into()]).await?;
        let is_old = match (self, fetched) {
            (Self::Never, _) => return Ok(false),
            (Self::WhenThereAreNone, _) => return are_none(cx).await,
            (Self::Always | Self::OlderThan(_), None) => true,
            // The resources of a run share no memory, so the time stamp on the machine shows an update by
            // another one.
            (Self::Always, Some(fetched)) => fetched < cx.started(),
            // A time in the future does not count as old.
            (Self::OlderThan(age), Some(fetched)) => {
                cx.system().clock().now().duration_since(fetched).is_ok_and(|passed| passed > age)
            }
        };
        if is_old {
            return Ok(true);
        }
        let mut sources: Vec<PathBuf> = SOURCES.map(PathBuf::from).into();
        let [_, folder] = SOURCES;
        if cx.system().files().metadata(Path::new(folder), Follow::Links).await?.is_some() {
            let entries = cx.system().files().read_dir(Path::new(folder)).await?;
            sources.extend(entries.into_iter().map(|entry| entry.path));
        }
        Ok(newest(cx, &sources).await? > fetched)
    }

    pub(super) async fn refresh(self, cx: &Context, apt: &mut Apt<'_>) -> Result<(), AptFailure> {
        if !self.is_due(cx).await? {
            return Ok(());
        }
        let arguments = [
            "update",
            "-o",
            // By default, apt only warns about an unreachable repository.
            "APT::Update::Error-Mode=any",
            "-o",
            &format!("APT::Update::Post-Invoke-Success::=mkdir -p {STAMPS} && touch {STAMP} || true"),
        ];
        let printed = apt.get(&arguments.map(str::to_owned)).await.map_err(without_options)?;
        // Older versions of apt do not know that mode, and succeed.
        let failures = explain::fetch_failures(&printed.stderr);
        if !failures.is_empty() {
            return Err(AptError::Fetch(failures).into());
        }
        Ok(())
    }
}

/// Removes the command's options from an error, because the module does not have them.
fn without_options(failure: AptFailure) -> AptFailure {
    match failure {
        AptFailure::Apt(AptError::Other { output, .. }) => {
            AptError::Other { command: "apt-get update".to_owned(), output }.into()
        }
        failure => failure,
    }
}

async fn are_none(cx: &Context) -> Result<bool> {
    let (files, folder) = (cx.system().files(), Path::new(LISTS));
    if files.metadata(folder, Follow::Links).await?.is_none() {
        return Ok(true);
    }
    let entries = files.read_dir(folder).await?;
    Ok(entries.iter().all(|entry| NO_LISTS.iter().any(|name| entry.path.ends_with(name))))
}

/// Returns the time of the last change of any of these paths.
async fn newest(cx: &Context, paths: &[PathBuf]) -> Result<Option<SystemTime>> {
    let mut newest = None;
    for path in paths {
        let metadata = cx.system().files().metadata(path, Follow::Links).await?;
        newest = newest.max(metadata.and_then(|metadata| metadata.modified));
    }
    Ok(newest)
}
