//! The creation of the identity folder.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use converge_controller::authorize::TokenHash;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, openat, renameat, renameat_with, unlinkat};
use rustix::rand::{GetRandomFlags, getrandom};
use serde_json::json;

use super::certify::{Authority, CertifyError};
use super::{AUTHORITY, AUTHORITY_KEY, FIRST_TOKEN, FOLDER, SECRETS_KEY, SERVER, TOKENS, hexadecimal};
use crate::private_files::{FileError, read_secret_of};

/// The number of random bytes in a token.
const BYTES: usize = 32;
/// The name prefix of a folder or file that is not complete yet.
const UNFINISHED: &str = ".identity-";

/// A reason why the folder was not created or the certificate not renewed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakeError {
    #[error("{} exists already, and is not overwritten", .0.display())]
    Exists(PathBuf),
    #[error(transparent)]
    Certify(#[from] CertifyError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot write {}: {error}", .path.display())]
    Write { path: PathBuf, error: io::Error },
}

/// Creates the folder inside `data` atomically, with a certificate for these hosts.
///
/// Returns its path.
pub(crate) fn make(data: &Path, hosts: &[String]) -> Result<PathBuf, MakeError> {
    let folder = data.join(FOLDER);
    // An existing folder would be refused at the end anyway, after slow work.
    if fs::symlink_metadata(&folder).is_ok() {
        return Err(MakeError::Exists(folder));
    }
    let authority = Authority::new()?;
    let token = format!("converge_admin_{}", secret().map_err(failed(&folder))?);
    let rules = json!([{ "types": ["*"], "verbs": ["read", "list", "write"] }]);
    let tokens =
        json!({ "tokens": [{ "name": "admin", "sha256": TokenHash::from_token(&token), "rules": rules }] });
    let files = [
        (AUTHORITY, authority.certificate()?),
        (AUTHORITY_KEY, authority.key()),
        (SERVER, authority.server(hosts)?),
        (TOKENS, format!("{tokens:#}\n")),
        (FIRST_TOKEN, format!("{token}\n")),
        (SECRETS_KEY, format!("{}\n", secret().map_err(failed(&folder))?)),
    ];
    DirBuilder::new().recursive(true).mode(0o700).create(data).map_err(failed(data))?;
    let unfinished = data.join(format!("{UNFINISHED}{}", secret().map_err(failed(data))?));
    let owner = Owner::read(data).map_err(failed(data))?;
    let result = fill(&unfinished, &files, owner).and_then(|()| finish(&unfinished, &folder));
    if result.is_err() {
        // The remains are useless, and a failure to remove them would hide the actual error.
        let _ = fs::remove_dir_all(&unfinished);
    }
    result?;
    File::open(data).and_then(|data| data.sync_all()).map_err(failed(data))?;
    Ok(folder)
}

/// Replaces the key and certificate of a server, signed by the authority of its folder.
///
/// Root may do this for the user of the server. That user may change the folder in the meantime, so the new
/// file is written through an open folder, and a symbolic link in place of the folder is not followed.
pub(crate) fn renew(folder: &Path, hosts: &[String]) -> Result<PathBuf, MakeError> {
    let unread = |error| FileError::Read { file: folder.to_owned(), error };
    let opened = Folder::open(folder).map_err(unread)?;
    let key = read_secret_of(opened.owner.user, &folder.join(AUTHORITY_KEY))?;
    let authority = Authority::from_key(&String::from_utf8_lossy(&key))?;
    let text = authority.server(hosts)?;
    let path = folder.join(SERVER);
    opened.replace(SERVER, &text).map_err(failed(&path))?;
    Ok(path)
}

/// The owner of created files.
#[derive(Clone, Copy, Debug)]
struct Owner {
    user: u32,
    group: u32,
}

impl Owner {
    fn read(folder: &Path) -> io::Result<Self> {
        fs::metadata(folder).map(|folder| Self { user: folder.uid(), group: folder.gid() })
    }

    /// Changes the owner of a file if this process is root, because the server may run as another user.
    fn take(self, file: &File) -> io::Result<()> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        std::os::unix::fs::fchown(file, Some(self.user), Some(self.group))
    }
}

/// An open folder.
struct Folder {
    descriptor: OwnedFd,
    owner: Owner,
}

impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = openat(CWD, path, flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&descriptor)?;
        Ok(Self { descriptor, owner: Owner { user: stat.st_uid, group: stat.st_gid } })
    }

    /// Replaces a file atomically.
    fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        let new = format!("{UNFINISHED}{}", secret()?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let result = openat(&self.descriptor, &new, flags, Mode::RUSR | Mode::WUSR)
            .map_err(io::Error::from)
            .and_then(|file| write(File::from(file), text, self.owner))
            .and_then(|()| Ok(renameat(&self.descriptor, &new, &self.descriptor, name)?));
        if result.is_err() {
            let _ = unlinkat(&self.descriptor, &new, AtFlags::empty());
        }
        result?;
        Ok(rustix::fs::fsync(&self.descriptor)?)
    }
}

fn fill(folder: &Path, files: &[(&str, String)], owner: Owner) -> Result<(), MakeError> {
    DirBuilder::new().mode(0o700).create(folder).map_err(failed(folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        file.and_then(|file| write(file, text, owner)).map_err(failed(&path))?;
    }
    let filled = File::open(folder).and_then(|folder| owner.take(&folder).and_then(|()| folder.sync_all()));
    filled.map_err(failed(folder))
}

/// Renames the folder to its final name, unless that exists.
fn finish(unfinished: &Path, folder: &Path) -> Result<(), MakeError> {
    match renameat_with(CWD, unfinished, CWD, folder, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::EXIST) => Err(MakeError::Exists(folder.to_owned())),
        Err(error) => Err(failed(folder)(error.into())),
    }
}

/// Writes and syncs a new file.
fn write(mut file: File, text: &str, owner: Owner) -> io::Result<()> {
    owner.take(&file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> MakeError + use<> {
    let path = path.to_owned();
    |error| MakeError::Write { path, error }
}

/// Returns a random token in hexadecimal digits.
fn secret() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    let mut filled = 0;
    while filled < BYTES {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(hexadecimal(&bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_is_made_once_and_is_for_nobody_else() {
        let data = tempfile::tempdir().unwrap();
        let hosts = ["localhost".to_owned()];
        let folder = make(data.path(), &hosts).unwrap();
        let names = |folder: &Path| {
            let mut names: Vec<_> = fs::read_dir(folder)
                .unwrap()
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        let expect = ["admin.token", "ca-key.pem", "ca.pem", "secrets.key", "server.pem", "tokens.json"];
        assert_eq!(names(&folder), expect);
        for name in names(&folder) {
            assert_eq!(
                fs::metadata(folder.join(&name)).unwrap().permissions().mode() & 0o777,
                0o600,
                "{name}"
            );
        }
        let before = fs::read(folder.join(SERVER)).unwrap();
        assert!(matches!(make(data.path(), &hosts), Err(MakeError::Exists(_))));
        assert_eq!(fs::read(folder.join(SERVER)).unwrap(), before);
        assert_eq!(names(data.path()), [FOLDER]);
        renew(&folder, &hosts).unwrap();
        assert_ne!(fs::read(folder.join(SERVER)).unwrap(), before);
        assert_eq!(names(&folder).len(), 6);
    }

    /// Only root can change the owner of files.
    #[test]
    fn files_are_theirs_who_own_the_folder() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let data = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(data.path(), Some(65_534), Some(65_534)).unwrap();
        let hosts = ["localhost".to_owned()];
        let folder = make(data.path(), &hosts).unwrap();
        renew(&folder, &hosts).unwrap();
        for name in ["", SERVER, AUTHORITY_KEY, SECRETS_KEY] {
            let metadata = fs::metadata(folder.join(name)).unwrap();
            assert_eq!((metadata.uid(), metadata.gid()), (65_534, 65_534), "{name}");
        }
        // A symbolic link that the user has placed there is not followed.
        let elsewhere = tempfile::tempdir().unwrap();
        let link = data.path().join("link");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        assert!(matches!(renew(&link, &hosts), Err(MakeError::File(FileError::Read { .. }))));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
