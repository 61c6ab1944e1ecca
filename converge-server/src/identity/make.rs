//! Making the folder.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use converge_controller::authorize::TokenHash;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::rand::{GetRandomFlags, getrandom};
use serde_json::json;

use super::certify::{Authority, CertifyError};
use super::{AUTHORITY, AUTHORITY_KEY, FIRST_TOKEN, FOLDER, SECRETS_KEY, SERVER, TOKENS, hexadecimal};
use crate::files::{FileError, read_secret};

/// How many random bytes a token has.
const BYTES: usize = 32;
/// What a folder is called until it is whole.
const UNFINISHED: &str = ".identity-";

/// The folder is not made, or the certificate not renewed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MakeError {
    #[error("{} is there already, and nothing of it is overwritten", .0.display())]
    Exists(PathBuf),
    #[error(transparent)]
    Certify(#[from] CertifyError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot write {}: {error}", .path.display())]
    Write { path: PathBuf, error: io::Error },
}

/// Makes the folder below `data`, with a certificate for these hosts, and gives its path. It is whole, or not there.
pub(crate) fn make(data: &Path, hosts: &[String]) -> Result<PathBuf, MakeError> {
    let folder = data.join(FOLDER);
    // It would be refused in the end; nobody wants to wait for that.
    if fs::symlink_metadata(&folder).is_ok() {
        return Err(MakeError::Exists(folder));
    }
    let authority = Authority::new()?;
    let token = format!("converge_admin_{}", secret().map_err(failed(&folder))?);
    let rules = json!([{ "types": ["*"], "verbs": ["read", "list", "write"] }]);
    let tokens = json!({ "tokens": [{ "name": "admin", "sha256": TokenHash::of(&token), "rules": rules }] });
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
    let made = fill(&unfinished, &files).and_then(|()| finish(&unfinished, &folder));
    if made.is_err() {
        // What is left is of no use; that it cannot be removed is not what went wrong.
        let _ = fs::remove_dir_all(&unfinished);
    }
    made?;
    File::open(data).and_then(|data| data.sync_all()).map_err(failed(data))?;
    Ok(folder)
}

/// Gives a server a new key and certificate, signed by the authority of its folder.
pub(crate) fn renew(folder: &Path, hosts: &[String]) -> Result<PathBuf, MakeError> {
    let key = read_secret(&folder.join(AUTHORITY_KEY))?;
    let authority = Authority::from_key(&String::from_utf8_lossy(&key))?;
    let text = authority.server(hosts)?;
    let path = folder.join(SERVER);
    let new = folder.join(format!("{UNFINISHED}{}", secret().map_err(failed(folder))?));
    let renewed = write(&new, &text).and_then(|()| fs::rename(&new, &path).map_err(failed(&path)));
    if renewed.is_err() {
        let _ = fs::remove_file(&new);
    }
    renewed?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed(folder))?;
    Ok(path)
}

fn fill(folder: &Path, files: &[(&str, String)]) -> Result<(), MakeError> {
    DirBuilder::new().mode(0o700).create(folder).map_err(failed(folder))?;
    files.iter().try_for_each(|(name, text)| write(&folder.join(name), text))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed(folder))
}

/// Gives the folder its name, if nobody else has it.
fn finish(unfinished: &Path, folder: &Path) -> Result<(), MakeError> {
    match renameat_with(CWD, unfinished, CWD, folder, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::EXIST) => Err(MakeError::Exists(folder.to_owned())),
        Err(error) => Err(failed(folder)(error.into())),
    }
}

/// A file that nobody else may read, on the disk.
fn write(path: &Path, text: &str) -> Result<(), MakeError> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(failed(path))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> MakeError + use<> {
    let path = path.to_owned();
    |error| MakeError::Write { path, error }
}

/// What nobody can guess, in hexadecimal digits.
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
        let all = ["admin.token", "ca-key.pem", "ca.pem", "secrets.key", "server.pem", "tokens.json"];
        assert_eq!(names(&folder), all);
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
}
