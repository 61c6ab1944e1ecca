//! Text files of SSH, in the directory of a user or at a path of the machine.
//!
//! A user may replace files in the own directory by links at any moment.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

use converge_sdk::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use converge_sdk::prelude::*;
use converge_sdk::system::{CommitFile, Directory, FileKind, Follow, Inherit, ReadAt, User, WriteFile};

use super::ssh_folder;
use crate::missing_dependency;

/// The maximum number of bytes of a file to edit.
const TEXT_BYTES: u64 = 8 << 20;

/// The number of bytes that are read at once.
const PIECE: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SshFile {
    User { user: String, name: &'static str },
    Path(String),
}

impl fmt::Display for SshFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { user, name } => write!(f, "~{user}/.ssh/{name}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

/// Claims a part of a file in the SSH directory of a user, and the permissions of both.
pub(super) fn claim(footprint: &mut Footprint, user: &str, name: &str) {
    let folder = format!("{user}/{}", ssh_folder::NAME);
    let file = format!("{folder}/{name}");
    for (path, claimed_aspect) in [(&file, aspect::CONTENT), (&file, aspect::MODE), (&folder, aspect::MODE)] {
        footprint.claims.push(Claim {
            verb: Verb::Ensures,
            thing: Thing::new(kind::HOME, path),
            aspect: Some(claimed_aspect),
            field: Some("user"),
            state: None,
        });
    }
}

/// The present state of the file.
enum Found {
    /// The text; empty if the file does not exist.
    Text(String),
    /// The directory for the file is missing, for this reason.
    NoDirectory(String),
}

impl Found {
    /// Returns the text, or the status of a check if a pending change may bring the directory.
    fn text(self, cx: &Context) -> Result<Result<String, Status>> {
        match self {
            Self::Text(text) => Ok(Ok(text)),
            Self::NoDirectory(why) if cx.pending().is_empty() => Err(Error::msg(why)),
            Self::NoDirectory(why) => Ok(Err(missing_dependency::not_yet(format!("{why} yet")))),
        }
    }
}

pub(super) trait SshEdit: Sync {
    /// The new text, with information for the check.
    type Edited: AsRef<str>;

    /// Returns the new text, or the reason why the text cannot be edited.
    fn edited(&self, text: &str) -> Result<Self::Edited, String>;
}

impl SshFile {
    /// Returns the result of an edit, or a status if the edit changes nothing or has to wait.
    ///
    /// `state` is the declared state of the key. An absent key needs no change if the directory of the file
    /// is missing.
    pub(super) async fn differs<E: SshEdit>(
        &self,
        cx: &Context,
        edit: &E,
        state: Ensure,
    ) -> Result<Result<E::Edited, Status>> {
        let content = self.read(cx).await?;
        if let (Found::NoDirectory(_), Ensure::Absent, true) = (&content, state, cx.pending().is_empty()) {
            return Ok(Err(Status::new()));
        }
        let text = match content.text(cx)? {
            Ok(text) => text,
            Err(status) => return Ok(Err(status)),
        };
        let edited = edit.edited(&text).map_err(Error::msg)?;
        Ok(if edited.as_ref() == text { Err(Status::new()) } else { Ok(edited) })
    }

    /// Edits the file as it is now, so that changes made since the check are kept.
    pub(super) async fn edit<E: SshEdit>(&self, cx: &Context, edit: &E) -> Result<Status> {
        let text = match self.read(cx).await? {
            Found::Text(text) => text,
            Found::NoDirectory(why) => return Err(Error::msg(why)),
        };
        let edited = edit.edited(&text).map_err(Error::msg)?.as_ref().to_owned();
        if edited != text {
            self.write(cx, &edited).await?;
        }
        Ok(Status::new())
    }

    async fn read(&self, cx: &Context) -> Result<Found> {
        match self {
            Self::User { user, name } => match home(cx, user).await? {
                Ok((user, home)) => {
                    let Some(folder) = home.open_dir(OsStr::new(ssh_folder::NAME)).await? else {
                        return Ok(Found::Text(String::new()));
                    };
                    Ok(Found::Text(read_own(&*folder, OsStr::new(name), &user).await?))
                }
                Err(reason) => Ok(Found::NoDirectory(reason)),
            },
            Self::Path(path) => {
                let path = Path::new(path);
                let parent = path.parent().unwrap_or(path);
                if cx.system().files().metadata(parent, Follow::Links).await?.is_none() {
                    return Ok(Found::NoDirectory(format!(
                        "the directory {} does not exist",
                        parent.display()
                    )));
                }
                let head = cx.system().files().read_head(path, TEXT_BYTES + 1).await?;
                Ok(Found::Text(text(path, head.map(|head| head.bytes).unwrap_or_default())?))
            }
        }
    }

    async fn write(&self, cx: &Context, text: &str) -> Result<()> {
        match self {
            Self::User { user, name } => {
                let (user, home) = home(cx, user).await?.map_err(Error::msg)?;
                let folder = ssh_folder::open(cx, &*home, &user).await?;
                let name = OsStr::new(name);
                // Write access for others is removed, because sshd would not use the file.
                let mode = folder.metadata(name).await?.map_or(0o600, |metadata| metadata.mode & 0o755);
                let mut staged = folder.stage(name).await?;
                staged.write(text.as_bytes()).await?;
                let commit = CommitFile {
                    mode: Some(mode),
                    ownership: ssh_folder::owner(&user),
                    inherit: Inherit::FromTrusted,
                    ..CommitFile::default()
                };
                Ok(staged.commit(commit).await?)
            }
            Self::Path(path) => {
                let path = Path::new(path);
                let files = cx.system().files();
                // The file has to be readable for every user, because SSH reads it with the user's
                // privileges.
                let mode = files.metadata(path, Follow::Links).await?.is_none().then_some(0o644);
                let write = WriteFile { mode, ..WriteFile::new(text.as_bytes()) };
                Ok(files.write(path, write).await?)
            }
        }
    }
}

/// Returns the user and the open home directory. The inner error says which of them is missing.
async fn home(cx: &Context, name: &str) -> Result<Result<(User, Box<dyn Directory>), String>> {
    let Some(user) = cx.system().users().user_by_name(name).await? else {
        return Ok(Err(format!("the user {name:?} does not exist")));
    };
    match cx.system().files().open_dir(&user.home).await? {
        Some(home) => Ok(Ok((user, home))),
        None => Ok(Err(format!("the home directory {} of {name:?} does not exist", user.home.display()))),
    }
}

async fn read_own(folder: &dyn Directory, name: &OsStr, user: &User) -> Result<String> {
    let path = folder.path().join(name);
    match folder.metadata(name).await? {
        None => return Ok(String::new()),
        Some(metadata) if metadata.kind == FileKind::File => {}
        Some(_) => {
            return Err(Error::msg(format!(
                "{} is not a regular file; symbolic links are not followed",
                path.display()
            )));
        }
    }
    let Some(file) = folder.open(name).await? else { return Ok(String::new()) };
    // The rewritten content will belong to the user, so the file must not be a hard link to somebody else's
    // file.
    let metadata = file.metadata();
    if metadata.uid != user.uid && metadata.links > 1 {
        let message =
            format!("{} is also the name of a file that does not belong to {:?}", path.display(), user.name);
        return Err(Error::msg(message));
    }
    text(&path, read_all(&*file).await?)
}

async fn read_all(file: &dyn ReadAt) -> Result<Vec<u8>> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; PIECE]);
    while (bytes.len() as u64) <= TEXT_BYTES {
        let count = file.read_at(bytes.len() as u64, &mut piece).await?;
        if count == 0 {
            break;
        }
        bytes.extend(piece.iter().take(count));
    }
    Ok(bytes)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String> {
    let path = path.display();
    if bytes.len() as u64 > TEXT_BYTES {
        return Err(Error::msg(format!(
            "{path} has more than {TEXT_BYTES} bytes: files of that size are not edited"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        Error::msg(format!("{path} is not UTF-8 text: see byte {}", error.utf8_error().valid_up_to()))
    })
}

pub(super) fn ending(text: &str) -> &'static str {
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
}

pub(super) fn add_line(text: &mut String, line: &str, ending: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(ending);
    }
    text.push_str(line);
    text.push_str(ending);
}
