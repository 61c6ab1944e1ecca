//! A step-by-step walk along a path, with each directory open before the next step.
//!
//! Paths with a link or `..` are resolved this way; all others take one system call, see
//! [`reach`](super::reach).

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::process::geteuid;

use super::super::path_root::PathRoot;
use super::open_file::{Folder, HOLD, PathHandle};
use super::stat::{Outcome, there};
use crate::trust::{Following, Trust};
use crate::{FileKind, FileOwner, Follow, ForeignLink, SystemErrorKind};

/// The maximum number of links in a walk, as on Linux.
const MAX_LINKS: usize = 40;

/// The end of a walk.
#[derive(Debug)]
pub(super) enum WalkResult {
    /// A directory, or a path that ends in `.`, `..` or a slash.
    Directory(PathHandle),
    Leaf(Leaf),
}

/// A name in a directory.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) folder: PathHandle,
    pub(super) name: OsString,
    /// The file that has the name; never a directory.
    pub(super) found: Option<PathHandle>,
}

impl WalkResult {
    pub(super) fn found(self) -> Outcome<PathHandle> {
        match self {
            Self::Directory(held) => Ok(held),
            Self::Leaf(leaf) => leaf.found.ok_or(SystemErrorKind::NotFound),
        }
    }
}

enum Step {
    Name(OsString),
    /// A check after following a link that may only lead to files of this user.
    Check {
        uid: u32,
        link: PathBuf,
    },
}

struct Walk<'a> {
    place: &'a PathRoot,
    trust: Trust,
    /// The open directories along the path, with their paths.
    way: Vec<(PathHandle, PathBuf)>,
    leaf: Option<(OsString, Option<PathHandle>)>,
    /// The remaining steps, in reverse order.
    rest: Vec<Step>,
    links: usize,
}

pub(super) fn trust() -> Trust {
    Trust { runs_as: geteuid().as_raw() }
}

/// Looks up a user for a message.
pub(super) fn owner(uid: u32) -> FileOwner {
    let user = nix::unistd::User::from_uid(uid.into());
    FileOwner { uid, name: user.ok().flatten().map(|user| user.name) }
}

/// Resolves a path; `last` decides whether a link at its end is followed.
pub(super) fn walk(place: &PathRoot, path: &Path, last: Follow) -> Outcome<WalkResult> {
    let mut walk = Walk::new(place);
    walk.walk_path(path, last)?;
    walk.end()
}

/// Resolves a path to a directory below `root`, and returns the link-free names between them.
///
/// Returns `None` if the directory is not in `root`. `shown` is the path of `root`.
pub(super) fn walk_below(
    place: &PathRoot,
    root: PathHandle,
    shown: &Path,
    path: &Path,
) -> Outcome<Option<(PathHandle, PathBuf)>> {
    let root_inode = root.inode();
    let folders = vec![(root, shown.to_owned())];
    let mut walk = Walk { way: folders, ..Walk::new(place) };
    walk.walk_path(path, Follow::Links)?;
    match walk.leaf {
        None => {}
        Some((_, None)) => return Err(SystemErrorKind::NotFound),
        Some((_, Some(_))) => return Err(SystemErrorKind::NotADirectory),
    }
    // A link may lead out of the root and back in, so the final list of directories counts.
    let Some(position) = walk.way.iter().position(|(held, _)| held.inode() == root_inode) else {
        return Ok(None);
    };
    let names = walk.way[position + 1..].iter().filter_map(|(_, path)| path.file_name()).collect();
    Ok(walk.way.pop().map(|(found, _)| (found, names)))
}

impl<'a> Walk<'a> {
    fn new(place: &'a PathRoot) -> Self {
        Self { place, trust: trust(), way: Vec::new(), leaf: None, rest: Vec::new(), links: 0 }
    }

    fn walk_path(&mut self, path: &Path, last: Follow) -> Outcome<()> {
        self.follow(path)?;
        while let Some(step) = self.rest.pop() {
            match step {
                Step::Name(name) => self.enter(name, last)?,
                Step::Check { uid, link } => self.check(uid, link)?,
            }
        }
        Ok(())
    }

    /// Adds the steps of a path, relative to the current directory or to the root.
    fn follow(&mut self, path: &Path) -> Outcome<()> {
        let bytes = path.as_os_str().as_bytes();
        if bytes.is_empty() {
            return Err(SystemErrorKind::NotFound);
        }
        if bytes.starts_with(b"/") {
            self.way = vec![(PathHandle::new(self.place.hold_root()?)?, PathBuf::from("/"))];
        } else if self.way.is_empty() {
            let working_directory = openat(CWD, ".", HOLD | OFlags::DIRECTORY, Mode::empty())?;
            self.way = vec![(PathHandle::new(working_directory)?, PathBuf::new())];
        }
        // A slash at the end becomes a step to `.`, which only a directory has.
        let names = bytes.split(|byte| *byte == b'/').rev().enumerate();
        self.rest.extend(names.filter_map(|(index, name)| match name {
            b"" if index > 0 => None,
            b"" => Some(Step::Name(OsString::from("."))),
            name => Some(Step::Name(OsStr::from_bytes(name).to_owned())),
        }));
        Ok(())
    }

    fn here(&self) -> Outcome<&(PathHandle, PathBuf)> {
        // Set from the first step on.
        self.way.last().ok_or(SystemErrorKind::NotFound)
    }

    fn enter(&mut self, name: OsString, last: Follow) -> Outcome<()> {
        match &self.leaf {
            None => {}
            Some((_, Some(_))) => return Err(SystemErrorKind::NotADirectory),
            Some((_, None)) => return Err(SystemErrorKind::NotFound),
        }
        match name.as_bytes() {
            b"." => return Ok(()),
            // Returns to the directory from which this one was entered, even if it was moved since.
            b".." if self.way.len() > 1 => {
                self.way.pop();
                return Ok(());
            }
            b".." => {
                let (folder, path) = self.here()?;
                if self.place.is_root(folder.inode()) {
                    return Ok(());
                }
                let parent = openat(&folder.fd, "..", HOLD | OFlags::DIRECTORY, Mode::empty())?;
                let path = if path == Path::new("/") { path.clone() } else { path.join("..") };
                self.way = vec![(PathHandle::new(parent)?, path)];
                return Ok(());
            }
            _ => {}
        }
        let (folder, path) = self.here()?;
        let Some(entry) = there(PathHandle::entry(&folder.fd, &name))? else {
            self.leaf = Some((name, None));
            return Ok(());
        };
        let is_last = !self.rest.iter().any(|step| matches!(step, Step::Name(_)));
        if entry.metadata.kind == FileKind::Symlink && (last == Follow::Links || !is_last) {
            return self.link(&entry, &name);
        }
        if entry.is_dir() {
            let path = path.join(&name);
            self.way.push((entry, path));
        } else {
            self.leaf = Some((name, Some(entry)));
        }
        Ok(())
    }

    fn link(&mut self, link: &PathHandle, name: &OsStr) -> Outcome<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(SystemErrorKind::LinkLoop);
        }
        let (folder, path) = self.here()?;
        match self.trust.following(&folder.metadata, &link.metadata) {
            // Links in `/proc` do not lead to a path below the root.
            _ if self.place.is_confined() && is_proc(&folder.fd) => return Err(SystemErrorKind::LinkLoop),
            Following::Freely if is_proc(&folder.fd) => return self.jump(name),
            Following::Freely => {}
            Following::OnlyTo(uid) => self.rest.push(Step::Check { uid, link: path.join(name) }),
            Following::Never(uid) => return Err(refused(uid, path.join(name))),
        }
        let target = link.target()?;
        self.follow(Path::new(OsStr::from_bytes(&target)))
    }

    /// Lets the kernel follow a link such as `/proc/1/root`, whose text is not a usable path.
    fn jump(&mut self, name: &OsStr) -> Outcome<()> {
        let (folder, path) = self.here()?;
        let entry = PathHandle::new(openat(&folder.fd, name, HOLD, Mode::empty())?)?;
        if entry.is_dir() {
            let path = path.join(name);
            self.way.push((entry, path));
        } else {
            self.leaf = Some((name.to_owned(), Some(entry)));
        }
        Ok(())
    }

    /// Checks that the target of a link belongs to the user.
    ///
    /// For a missing target, its directory counts.
    fn check(&self, uid: u32, link: PathBuf) -> Outcome<()> {
        let target = match &self.leaf {
            Some((_, Some(found))) => found,
            _ => &self.here()?.0,
        };
        if target.metadata.uid == uid { Ok(()) } else { Err(refused(uid, link)) }
    }

    fn end(mut self) -> Outcome<WalkResult> {
        let (folder, _) = self.way.pop().ok_or(SystemErrorKind::NotFound)?;
        Ok(match self.leaf {
            None => WalkResult::Directory(folder),
            Some((name, found)) => WalkResult::Leaf(Leaf { folder, name, found }),
        })
    }
}

fn refused(uid: u32, link: PathBuf) -> SystemErrorKind {
    SystemErrorKind::ForeignLink(Box::new(ForeignLink { link, owner: owner(uid) }))
}

#[cfg(target_os = "linux")]
fn is_proc(folder: &OwnedFd) -> bool {
    rustix::fs::fstatfs(folder).is_ok_and(|stat| stat.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

/// Returns false: only Linux has links whose text is not a path.
#[cfg(not(target_os = "linux"))]
fn is_proc(_folder: &OwnedFd) -> bool {
    false
}

impl From<PathHandle> for Folder {
    fn from(handle: PathHandle) -> Self {
        Self::from(handle.fd)
    }
}
