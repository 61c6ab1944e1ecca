//! Private folders where tests keep state.

use std::io;
use std::path::{Path, PathBuf};

use crate::folder_trust::examine;

/// The folder for temporary data of the machine, which only root may write to.
const ROOT_FOLDER: &str = "/run";

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// Returns a folder for the state of tests that only root and this user may write to.
///
/// The folder is `near`, unless others may write there, as in a folder within `/tmp`: state is refused in
/// such places. Then the folder is in `XDG_RUNTIME_DIR` or `/run`.
///
/// ```no_run
/// let states = converge_core::testing::private_folder(env!("CARGO_MANIFEST_DIR").as_ref())?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Other users can write to all of them.
#[expect(clippy::disallowed_methods, reason = "tests ask where they run, and no system of a resource")]
pub fn private_folder(base: &Path) -> io::Result<PathBuf> {
    let of_user = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let of_root = is_root().then(|| PathBuf::from(ROOT_FOLDER));
    let mut places = [Some(base.to_owned()), of_user, of_root].into_iter().flatten();
    places.find(|place| place.is_dir() && examine(place).is_ok()).ok_or_else(|| {
        let reason = examine(base).err().map_or_else(|| base.display().to_string(), |why| why.to_string());
        io::Error::new(io::ErrorKind::PermissionDenied, format!("there is no place for a state: {reason}"))
    })
}
