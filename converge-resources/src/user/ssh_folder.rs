//! The folder `.ssh` of a user. It is in the user's hands, who may put a link in its place at any moment: it is reached by
//! descriptor, and no link is followed.

use std::ffi::OsStr;

use converge_core::prelude::*;
use converge_core::system::{self, Directory, Ownership};

use crate::removal;

pub(super) const NAME: &str = ".ssh";

/// Its name until it belongs to the user. It is the same in each run, so what an interrupted one leaves is replaced by the next.
const UNFINISHED: &str = ".ssh.converge-tmp";

/// Who owns what is made for a user.
pub(super) fn owner(user: &system::User) -> Ownership {
    Ownership { uid: Some(user.uid), gid: Some(user.gid) }
}

/// Opens it, and makes it where there is none.
pub(super) async fn open(
    cx: &Context,
    home: &dyn Directory,
    user: &system::User,
) -> Result<Box<dyn Directory>> {
    let (name, unfinished) = (OsStr::new(NAME), OsStr::new(UNFINISHED));
    if home.metadata(name).await?.is_none() {
        // The user may have been in what an interrupted run left.
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
