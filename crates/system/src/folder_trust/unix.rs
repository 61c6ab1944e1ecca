//! Folder trust on Unix, by owners and permission bits.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use super::error::{Untrusted, WrongOwner};

/// The maximum number of links that are followed, as on Linux.
const LINKS: usize = 40;

const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// The bit of a folder in which only the owner of an entry can rename or remove it.
const STICKY: u32 = 0o1000;

pub(super) fn examine(folder: &Path) -> Result<(), Untrusted> {
    let blame = |at: &Path, problem| Untrusted { folder: folder.to_owned(), at: at.to_owned(), problem };
    let unusable = |at: &Path, text: &str| blame(at, WrongOwner::Unusable(text.to_owned()));
    let user = rustix::process::geteuid().as_raw();
    let mut rest: VecDeque<OsString> = parts(folder);
    let mut path = PathBuf::from("/");
    let mut links = 0;
    // The error of a sticky folder, unless the next part of the path is there.
    let mut shared = None;
    loop {
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound && shared.is_some() => {
                return shared.map_or(Ok(()), Err);
            }
            // The rest of the path will be created in a trusted folder.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(unusable(&path, &format!("cannot be looked at: {error}"))),
        };
        if metadata.uid() != 0 && metadata.uid() != user {
            return Err(blame(&path, WrongOwner::Owner(metadata.uid())));
        }
        shared = None;
        if metadata.is_symlink() {
            links += 1;
            let target = fs::read_link(&path).map_err(|error| unusable(&path, &error.to_string()))?;
            if links > LINKS {
                return Err(unusable(&path, "is in a chain of too many links"));
            }
            path = if target.is_absolute() { PathBuf::from("/") } else { parent(&path) };
            parts(&target).into_iter().rev().for_each(|part| rest.push_front(part));
        } else if !metadata.is_dir() {
            return Err(unusable(&path, "is not a folder"));
        } else if metadata.mode() & OTHERS_WRITE != 0
            || metadata.mode() & GROUP_WRITES != 0 && !is_of_owner_alone(metadata.uid(), metadata.gid())
        {
            let writable = blame(&path, WrongOwner::Writable(metadata.mode() & 0o7777));
            if metadata.mode() & STICKY == 0 || rest.is_empty() {
                return Err(writable);
            }
            shared = Some(writable);
        }
        match rest.pop_front() {
            None => return Ok(()),
            Some(part) if part == ".." => path = parent(&path),
            Some(part) => path.push(part),
        }
    }
}

/// Whether a group has the owner as its only member.
fn is_of_owner_alone(owner: u32, group: u32) -> bool {
    let user = nix::unistd::User::from_uid(owner.into()).ok().flatten();
    let group = nix::unistd::Group::from_gid(group.into()).ok().flatten();
    let (Some(user), Some(group)) = (user, group) else { return false };
    group.gid == user.gid && group.name == user.name && group.mem.iter().all(|member| *member == user.name)
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_owned()
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let is_part = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().filter(is_part).map(|part| part.as_os_str().to_owned()).collect()
}
