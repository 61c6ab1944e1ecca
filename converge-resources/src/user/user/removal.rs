//! The check whether the home directory of a user may be removed together with the user.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{self, FileKind, Follow};

use crate::user::change::{AccountChange, Options};

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
    options.flag("--remove");
    Ok(())
}
