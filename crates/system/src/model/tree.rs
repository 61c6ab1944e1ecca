//! The files of the model, by their path without links, and the walk from any path to one of these.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::errno::{Errno, errno};
use crate::names::{is_temporary, os_string};
use crate::trust::{Following, Trust};
use crate::{FileKind, FileOwner, Follow, ForeignLink, ForeignName, Metadata, SystemErrorKind};

/// As many links as Linux follows in one walk.
const MAX_LINKS: usize = 40;

/// The longest name of one file.
const NAME_BYTES: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileNode {
    pub(super) content: Content,
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) modified: SystemTime,
    /// How many names it has. Each of them has a node here, and these are equal.
    links: u64,
    pub(super) identity: Identity,
}

/// Which node it is, by whatever path. It says nothing of what is in it, so two nodes may be equal that are not the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity(u64);

impl PartialEq for Identity {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Identity {}

impl Identity {
    fn is(self, other: Self) -> bool {
        self.0 == other.0
    }

    /// As the number of a file.
    pub(super) fn number(self) -> u64 {
        self.0
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    File(Arc<[u8]>),
    Directory,
    Symlink(PathBuf),
}

impl FileNode {
    pub(super) fn metadata(&self) -> Metadata {
        let (kind, len) = match &self.content {
            Content::File(bytes) => (FileKind::File, bytes.len()),
            Content::Directory => (FileKind::Directory, 0),
            Content::Symlink(target) => (FileKind::Symlink, target.as_os_str().len()),
        };
        Metadata {
            kind,
            mode: self.mode,
            uid: self.uid,
            gid: self.gid,
            len: len as u64,
            modified: Some(self.modified),
            links: self.links,
        }
    }

    pub(super) fn is_dir(&self) -> bool {
        self.content == Content::Directory
    }
}

/// All files, by path, the directory of each among them; and the directory in which relative paths begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    nodes: BTreeMap<PathBuf, FileNode>,
    working: PathBuf,
    /// What the node that was made last is.
    last: Identity,
}

/// Everything in the model is done as root.
pub(super) const TRUST: Trust = Trust { runs_as: 0 };

/// What is next on the way along a path.
enum Step {
    Name(OsString),
    /// All of a link has been followed, and it may lead only to what belongs to this user.
    Check {
        uid: u32,
        link: PathBuf,
    },
}

impl Tree {
    /// Only the root directory.
    pub(super) fn new(now: SystemTime) -> Self {
        let mut tree = Self { nodes: BTreeMap::new(), working: PathBuf::from("/"), last: Identity(1) };
        tree.create(PathBuf::from("/"), Content::Directory, 0o755, now);
        tree
    }

    /// Lets relative paths begin in a directory.
    pub(super) fn work_in(&mut self, directory: PathBuf) {
        self.working = directory;
    }

    /// Where a path leads, without links on the way, and what is there. The directory that it is in
    /// exists.
    pub(super) fn walk(
        &self,
        path: &Path,
        last: Follow,
    ) -> Result<(PathBuf, Option<&FileNode>), SystemErrorKind> {
        if path.as_os_str().is_empty() {
            return Err(SystemErrorKind::NotFound);
        }
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            let reason = "file name contained an unexpected NUL byte";
            return Err(SystemErrorKind::Other(reason.to_owned()));
        }
        let mut links = 0;
        let mut here = if path.has_root() { PathBuf::from("/") } else { self.working.clone() };
        let mut rest = steps(path);
        while let Some(step) = rest.pop() {
            let name = match step {
                Step::Name(name) => name,
                Step::Check { uid, link } => {
                    let found = self.nodes.get(&here).or_else(|| self.nodes.get(here.parent()?));
                    if found.is_none_or(|found| found.uid != uid) {
                        return Err(refused(uid, link));
                    }
                    continue;
                }
            };
            let folder = match self.nodes.get(&here) {
                Some(node) if node.is_dir() => node,
                Some(_) => return Err(SystemErrorKind::NotADirectory),
                None => return Err(SystemErrorKind::NotFound),
            };
            match name.as_encoded_bytes() {
                b"." => continue,
                b".." => {
                    here.pop();
                    continue;
                }
                long if long.len() > NAME_BYTES => return Err(errno(Errno::NameTooLong)),
                _ => here.push(name),
            }
            let is_last = !rest.iter().any(|step| matches!(step, Step::Name(_)));
            if let Some(link @ FileNode { content: Content::Symlink(target), .. }) = self.nodes.get(&here)
                && (last == Follow::Links || !is_last)
            {
                links += 1;
                if links > MAX_LINKS {
                    return Err(SystemErrorKind::LinkLoop);
                }
                match TRUST.following(&folder.metadata(), &link.metadata()) {
                    Following::Freely => {}
                    Following::OnlyTo(uid) => rest.push(Step::Check { uid, link: here.clone() }),
                    Following::Never(uid) => return Err(refused(uid, here)),
                }
                if target.has_root() {
                    here = PathBuf::from("/");
                } else {
                    here.pop();
                }
                rest.extend(steps(target));
            }
        }
        let node = self.nodes.get(&here);
        Ok((here, node))
    }

    /// Like [`walk`](Self::walk), to what has to be there.
    pub(super) fn find(&self, path: &Path, last: Follow) -> Result<(PathBuf, &FileNode), SystemErrorKind> {
        let (path, node) = self.walk(path, last)?;
        Ok((path, node.ok_or(SystemErrorKind::NotFound)?))
    }

    /// Like [`walk`](Self::walk), to where something new is to be.
    pub(super) fn free(&self, path: &Path) -> Result<PathBuf, SystemErrorKind> {
        refuse_temporary(path)?;
        match self.walk(path, Follow::Never)? {
            (path, None) => Ok(path),
            (_, Some(_)) => Err(SystemErrorKind::AlreadyExists),
        }
    }

    /// Like [`find`](Self::find), to what is to be changed in place: also by its other names.
    pub(super) fn find_for_change(
        &self,
        path: &Path,
        last: Follow,
    ) -> Result<(PathBuf, &FileNode), SystemErrorKind> {
        let (path, node) = self.find(path, last)?;
        self.refuse_foreign(&path, node, |folder, file| TRUST.is_foreign_name(folder, file))?;
        Ok((path, node))
    }

    /// Like [`find`](Self::find), to what is to be read.
    pub(super) fn find_for_reading(
        &self,
        path: &Path,
        last: Follow,
    ) -> Result<(PathBuf, &FileNode), SystemErrorKind> {
        let (path, node) = self.find(path, last)?;
        if matches!(node.content, Content::File(_)) {
            self.refuse_foreign(&path, node, |folder, file| TRUST.is_foreign_secret(folder, file))?;
        }
        Ok((path, node))
    }

    /// Refuses a name that somebody may have given to a file that they may not use.
    fn refuse_foreign(
        &self,
        path: &Path,
        node: &FileNode,
        is_foreign: impl FnOnce(&Metadata, &Metadata) -> bool,
    ) -> Result<(), SystemErrorKind> {
        let Some(folder) = path.parent().and_then(|folder| self.nodes.get(folder)) else { return Ok(()) };
        if !is_foreign(&folder.metadata(), &node.metadata()) {
            return Ok(());
        }
        let of = |uid| FileOwner { uid, name: None };
        Err(SystemErrorKind::ForeignName(Box::new(ForeignName {
            owner: of(node.uid),
            folder: of(folder.uid),
        })))
    }

    /// The node of a path without links.
    pub(super) fn get(&self, path: &Path) -> Option<&FileNode> {
        self.nodes.get(path)
    }

    /// Where a node is by now, which was last at `path`; `None` when it is gone.
    pub(super) fn place(&self, identity: Identity, path: &Path) -> Option<PathBuf> {
        let is_it = |node: &FileNode| node.identity.is(identity);
        if self.nodes.get(path).is_some_and(is_it) {
            return Some(path.to_owned());
        }
        self.nodes.iter().find(|(_, node)| is_it(node)).map(|(path, _)| path.clone())
    }

    /// Changes the node of a path without links, by all its names.
    pub(super) fn alter(&mut self, path: &Path, change: impl FnOnce(&mut FileNode)) {
        let Some(node) = self.nodes.get_mut(path) else { return };
        change(node);
        if node.links > 1 {
            let changed = node.clone();
            self.names_of(changed.identity).for_each(|node| node.clone_from(&changed));
        }
    }

    /// Gives the file of a path without links another one.
    pub(super) fn link(&mut self, existing: &Path, path: PathBuf) {
        self.alter(existing, |node| node.links += 1);
        if let Some(node) = self.nodes.get(existing).cloned() {
            self.nodes.insert(path, node);
        }
    }

    /// All nodes of one file.
    fn names_of(&mut self, identity: Identity) -> impl Iterator<Item = &mut FileNode> {
        self.nodes.values_mut().filter(move |node| node.identity.is(identity))
    }

    /// One of its names is gone.
    fn has_lost_name(&mut self, node: &FileNode) {
        if node.links > 1 {
            self.names_of(node.identity).for_each(|node| node.links -= 1);
        }
    }

    /// Puts a new node, which belongs to root, and to the group of its directory where that says so.
    pub(super) fn create(&mut self, path: PathBuf, content: Content, mode: u32, now: SystemTime) {
        const SET_GID: u32 = 0o2000;
        let directory = path.parent().and_then(|parent| self.nodes.get(parent));
        let gid = directory.filter(|node| node.mode & SET_GID != 0).map_or(0, |node| node.gid);
        self.last = Identity(self.last.0 + 1);
        let identity = self.last;
        let node = FileNode { content, mode, uid: 0, gid, modified: now, links: 1, identity };
        self.nodes.insert(path, node);
    }

    /// Takes out a node that has nothing below it.
    pub(super) fn remove_one(&mut self, path: &Path) {
        if let Some(node) = self.nodes.remove(path) {
            self.has_lost_name(&node);
        }
    }

    /// Takes out a node and all below it.
    pub(super) fn remove(&mut self, path: &Path) {
        for (_, node) in self.take(path) {
            self.has_lost_name(&node);
        }
    }

    /// Takes out a node and all below it, to be put somewhere else.
    fn take(&mut self, path: &Path) -> Vec<(PathBuf, FileNode)> {
        let mut paths = Vec::new();
        for (have, _) in self.nodes.range::<Path, _>((Bound::Included(path), Bound::Unbounded)) {
            if !have.starts_with(path) {
                break;
            }
            paths.push(have.clone());
        }
        paths.into_iter().filter_map(|path| self.nodes.remove_entry(&path)).collect()
    }

    /// Gives a node and all below it another path. What is there and has nothing below it is replaced; where that is the same file,
    /// nothing happens.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) {
        let (moved, replaced) = (self.nodes.get(from), self.nodes.get(to));
        if from == to || moved.zip(replaced).is_some_and(|(from, to)| from.identity.is(to.identity)) {
            return;
        }
        self.remove_one(to);
        for (path, node) in self.take(from) {
            let path = match path.strip_prefix(from) {
                Ok(below) if !below.as_os_str().is_empty() => to.join(below),
                // Joining an empty path would add a slash.
                _ => to.to_owned(),
            };
            self.nodes.insert(path, node);
        }
    }

    /// What is directly inside a directory.
    pub(super) fn children<'a>(
        &'a self,
        directory: &'a Path,
    ) -> impl Iterator<Item = (&'a Path, &'a FileNode)> {
        self.nodes
            .range::<Path, _>((Bound::Excluded(directory), Bound::Unbounded))
            .take_while(move |(path, _)| path.starts_with(directory))
            .filter(move |(path, _)| path.parent() == Some(directory))
            .map(|(path, node)| (path.as_path(), node))
    }

    /// Gives all nodes the same time.
    pub(super) fn set_times(&mut self, modified: SystemTime) {
        self.nodes.values_mut().for_each(|node| node.modified = modified);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&PathBuf, &FileNode)> {
        self.nodes.iter()
    }
}

/// The names of a path, last first. A slash at the end is a step to `.`, which only a directory has.
fn steps(path: &Path) -> Vec<Step> {
    let names = path.as_os_str().as_encoded_bytes().split(|byte| *byte == b'/').rev();
    names
        .enumerate()
        .filter_map(|(index, name)| match name {
            b"" if index == 0 => Some(b".".as_slice()),
            b"" => None,
            name => Some(name),
        })
        .map(|name| Step::Name(os_string(name)))
        .collect()
}

/// The local system has its own temporary files under such names.
pub(super) fn refuse_temporary(path: &Path) -> Result<(), SystemErrorKind> {
    if path.file_name().is_some_and(is_temporary) { Err(SystemErrorKind::ReservedName) } else { Ok(()) }
}

/// Names of users are in another place, and are told by the one who asks.
fn refused(uid: u32, link: PathBuf) -> SystemErrorKind {
    SystemErrorKind::ForeignLink(Box::new(ForeignLink { link, owner: FileOwner { uid, name: None } }))
}
