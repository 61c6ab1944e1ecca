//! Atomic creation of a folder with files.
#![expect(
    clippy::disallowed_methods,
    reason = "a crate is written for whoever runs the command; it is no resource"
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Creates a folder with these files, given by their paths in the folder.
///
/// The folder is written under a temporary name beside its target and then renamed, so that nobody sees an
/// incomplete folder.
pub(super) fn make(folder: &Path, files: &[(&str, String)]) -> Result<(), CliError> {
    if fs::symlink_metadata(folder).is_ok() {
        return Err(CliError::Exists(folder.to_owned()));
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| CliError::New { path, source }
    };
    let name = folder.file_name().ok_or_else(|| CliError::Exists(folder.to_owned()))?;
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}", std::process::id()));
    let draft = Draft(folder.with_file_name(temporary_name));
    fs::create_dir(&draft.0).map_err(failed(folder))?;
    for (file, text) in files {
        let path = draft.0.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed(folder))?;
        }
        fs::write(&path, text).map_err(failed(&folder.join(file)))?;
    }
    // An existing target is kept, unless it is an empty folder: a rename fails otherwise.
    fs::rename(&draft.0, folder).map_err(failed(folder))
}

/// Returns the absolute path of a folder, if the folder contains a crate.
pub(super) fn with_crate(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    folder.join("Cargo.toml").is_file().then_some(folder)
}

/// A temporary folder that is removed on drop unless it was renamed.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // After a successful rename the folder does not exist any more.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the entries of a folder.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_folder_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("new");
        make(&folder, &[("a.txt", "A".to_owned()), ("b/c.txt", "C".to_owned())]).unwrap();
        assert_eq!(fs::read_to_string(folder.join("b/c.txt")).unwrap(), "C");
        assert_eq!(names(place.path()), ["new"]);
    }

    #[test]
    fn what_fails_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("new");
        // This fails because `a` cannot be both a file and a folder.
        let message =
            make(&folder, &[("a", "A".to_owned()), ("a/b", "B".to_owned())]).unwrap_err().to_string();
        assert!(message.starts_with(&format!("cannot make {}", folder.display())), "{message}");
        assert_eq!(names(place.path()), [""; 0]);
    }

    #[test]
    fn what_is_there_stays() {
        let place = tempfile::tempdir().unwrap();
        for (name, link) in [("file", false), ("dangling", true)] {
            let path = place.path().join(name);
            if link {
                std::os::unix::fs::symlink("nowhere", &path).unwrap();
            } else {
                fs::write(&path, "mine").unwrap();
            }
            let message = make(&path, &[("a", "A".to_owned())]).unwrap_err().to_string();
            assert_eq!(
                message,
                format!("{} is there already; name another folder with --path", path.display())
            );
        }
        assert_eq!(fs::read_to_string(place.path().join("file")).unwrap(), "mine");
        assert_eq!(names(place.path()).len(), 2);
    }
}
