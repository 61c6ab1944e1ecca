//! The directory `.ssh` of a user.
//!
//! The user may put a link in its place at any moment, so it is opened by descriptor, without following
//! links.

use std::ffi::OsStr;

use converge_sdk::prelude::*;
use converge_sdk::system::{self, Directory, Ownership};

use crate::removal;

pub(super) const NAME: &str = ".ssh";

/// The name of the directory until it belongs to the user.
///
/// It is the same in each run, so the next run replaces a leftover.
const UNFINISHED: &str = ".ssh.converge-tmp";

/// Returns the owner of new files of a user.
pub(super) fn owner(user: &system::User) -> Ownership {
    Ownership { uid: Some(user.uid), gid: Some(user.gid) }
}

/// Opens the directory, and creates it if it is missing.
pub(super) async fn open(
    cx: &Context,
    home: &dyn Directory,
    user: &system::User,
) -> Result<Box<dyn Directory>> {
    let (name, unfinished) = (OsStr::new(NAME), OsStr::new(UNFINISHED));
    if home.metadata(name).await?.is_none() {
        // The user may have changed the leftover of an interrupted run.
        removal::remove(cx, home, unfinished).await?;
        home.create_dir(unfinished, 0o700).await?;
        home.set_ownership(unfinished, owner(user)).await?;
        home.rename(unfinished, name).await?;
    }
    let opened = home.open_dir(name).await?;
    let missing =
        || Error::NotFound { kind: "directory", name: home.path().join(NAME).display().to_string() };
    opened.ok_or_else(missing)
}
