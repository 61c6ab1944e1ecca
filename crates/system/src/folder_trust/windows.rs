//! Folder trust on Windows, by the profile of the user.

use std::path::Path;

use super::error::{Untrusted, WrongOwner};
use crate::profile::{is_in, profile};

/// Checks that the folder is in the profile of the user.
pub(super) fn examine(folder: &Path) -> Result<(), Untrusted> {
    let blame = |problem: String| {
        let problem = WrongOwner::Unusable(problem);
        Untrusted { folder: folder.to_owned(), at: folder.to_owned(), problem }
    };
    let profile = profile().map_err(|error| blame(format!("cannot be looked at: {error}")))?;
    match is_in(&profile, folder) {
        Ok(true) => Ok(()),
        Ok(false) => Err(blame(format!(
            "is not in the profile of the user, {}, where alone others are known to be kept out",
            profile.display()
        ))),
        Err(error) => Err(blame(format!("cannot be looked at: {error}"))),
    }
}
