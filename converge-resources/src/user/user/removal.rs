//! The check whether the home directory of a user may be removed together with the user.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{self, FileKind, Follow, SystemErrorKind};

use crate::user::change::{AccountChange, Options};

/// The number of entries of a home directory that a plan names.
const SHOWN: usize = 20;

/// Returns a message that names what is in a home directory, unless it is empty or cannot be read.
async fn entries(cx: &Context, home: &Path) -> Result<Option<String>> {
    let entries = match cx.system().files().read_dir(home).await {
        Err(error)
            if matches!(error.kind, SystemErrorKind::PermissionDenied | SystemErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        entries => entries?,
    };
    let names = entries.iter().filter_map(|entry| entry.path.file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Ok((!names.is_empty()).then(|| format!("{} is removed with {}{more}", home.display(), names.join(", "))))
}

pub(super) async fn plan(
    cx: &Context,
    user: &system::User,
    options: &mut Options,
    change: &mut AccountChange,
) -> Result<()> {
    let home = user.home.as_path();
    let Some(metadata) = cx.system().files().metadata(home, Follow::Never).await? else { return Ok(()) };
    let refused = |why: String| format!("the home directory {} is not removed: {why}", home.display());
    if metadata.kind != FileKind::Directory {
        change.obstacles.push(refused("it is not a directory".to_owned()));
    } else if metadata.uid != user.uid {
        change.obstacles.push(refused(format!("it does not belong to {:?}", user.name)));
    }
    let others = cx.system().users().local_users().await?;
    let lives_there = |other: &&system::User| other.name != user.name && other.home.starts_with(home);
    if let Some(other) = others.iter().find(lives_there) {
        change.obstacles.push(refused(format!("{:?} has a home directory in it", other.name)));
    }
    if home == Path::new("/") {
        change.obstacles.push(refused("it is the root directory".to_owned()));
    }
    change.differs("remove_home", home.to_string_lossy(), "absent");
    if let Some(message) = entries(cx, home).await? {
        change.messages.push(message);
    }
    options.flag("--remove");
    Ok(())
}
