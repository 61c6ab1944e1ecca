//! The files of the model host by link-free path, and the resolution of paths.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::errno::{Errno, errno};
use crate::names::{is_temporary, os_string};
use crate::trust::{Following, Trust};
use crate::{
    Acl, ExtendedAttribute, FileKind, FileOwner, Follow, ForeignLink, ForeignName, Metadata, SystemErrorKind,
};

/// The maximum number of links followed in one resolution, as on Linux.
const MAX_LINKS: usize = 40;

/// The maximum length of a file name in bytes.
const NAME_BYTES: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileNode {
    pub(super) content: Content,
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) modified: SystemTime,
    /// The extended attributes by name.
    pub(super) extended: BTreeMap<String, Vec<u8>>,
    /// The number of names.
    ///
    /// Each name has an equal node in the tree.
    links: u64,
    pub(super) identity: Identity,
}

/// The identity of a node, independent of its path.
///
/// It is ignored when nodes are compared.
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

    /// Sets the permission bits, which are a part of the access control list.
    pub(super) fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        if let Some(stored) = self.extended.get_mut(Acl::ACCESS)
            && let Some(mut acl) = Acl::from_bytes(stored)
        {
            acl.set_mode(mode);
            *stored = acl.to_bytes();
        }
    }

    /// Sets an extended attribute, as Linux does.
    pub(super) fn set_extended(&mut self, name: &str, value: &[u8]) -> Result<(), SystemErrorKind> {
        let is_acl = [Acl::ACCESS, Acl::DEFAULT].contains(&name);
        if matches!(self.content, Content::Symlink(_)) || name == Acl::DEFAULT && !self.is_dir() {
            return Err(SystemErrorKind::PermissionDenied);
        }
        let acl = Acl::from_bytes(value).filter(|_| is_acl);
        if is_acl && acl.is_none() {
            return Err(SystemErrorKind::InvalidPath);
        }
        if let Some(acl) = acl.filter(|_| name == Acl::ACCESS) {
            self.mode = self.mode & !0o777 | acl.mode();
            if acl.is_minimal() {
                self.extended.remove(name);
                return Ok(());
            }
        }
        self.extended.insert(name.to_owned(), value.to_vec());
        Ok(())
    }

    /// Removes an extended attribute.
    pub(super) fn remove_extended(&mut self, name: &str) {
        let removed = self.extended.remove(name);
        if name == Acl::ACCESS
            && let Some(acl) = removed.and_then(|stored| Acl::from_bytes(&stored))
        {
            // The list goes, and the bits keep what they show.
            self.mode = self.mode & !0o777 | acl.mode();
        }
    }

    pub(super) fn extended_attributes(&self) -> Vec<ExtendedAttribute> {
        let attributes = self.extended.iter();
        attributes
            .map(|(name, value)| ExtendedAttribute { name: name.clone(), value: value.clone() })
            .collect()
    }
}

/// All files by path, including directories, and the start of relative paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    nodes: BTreeMap<PathBuf, FileNode>,
    working: PathBuf,
    /// The identity of the newest node.
    last: Identity,
}

/// The trust rules of the model: everything runs as root.
pub(super) const TRUST: Trust = Trust { runs_as: 0 };

enum Step {
    Name(OsString),
    /// A check after following a link that may only lead to files of this user.
    Check {
        uid: u32,
        link: PathBuf,
    },
}

impl Tree {
    /// Creates a tree with only the root directory.
    pub(super) fn new(now: SystemTime) -> Self {
        let mut tree = Self { nodes: BTreeMap::new(), working: PathBuf::from("/"), last: Identity(1) };
        tree.create(PathBuf::from("/"), Content::Directory, 0o755, now);
        tree
    }

    pub(super) fn work_in(&mut self, directory: PathBuf) {
        self.working = directory;
    }

    /// Resolves a path to its link-free form, and returns the node there.
    ///
    /// The parent directory exists.
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
        let mut current = if path.has_root() { PathBuf::from("/") } else { self.working.clone() };
        let mut rest = steps(path);
        while let Some(step) = rest.pop() {
            let name = match step {
                Step::Name(name) => name,
                Step::Check { uid, link } => {
                    let folder_node = self.nodes.get(&current).or_else(|| self.nodes.get(current.parent()?));
                    if folder_node.is_none_or(|folder_node| folder_node.uid != uid) {
                        return Err(refused(uid, link));
                    }
                    continue;
                }
            };
            let folder = match self.nodes.get(&current) {
                Some(node) if node.is_dir() => node,
                Some(_) => return Err(SystemErrorKind::NotADirectory),
                None => return Err(SystemErrorKind::NotFound),
            };
            match name.as_encoded_bytes() {
                b"." => continue,
                b".." => {
                    current.pop();
                    continue;
                }
                long if long.len() > NAME_BYTES => return Err(errno(Errno::NameTooLong)),
                _ => current.push(name),
            }
            let is_last = !rest.iter().any(|step| matches!(step, Step::Name(_)));
            if let Some(link @ FileNode { content: Content::Symlink(target), .. }) = self.nodes.get(&current)
                && (last == Follow::Links || !is_last)
            {
                links += 1;
                if links > MAX_LINKS {
                    return Err(SystemErrorKind::LinkLoop);
                }
                match TRUST.following(&folder.metadata(), &link.metadata()) {
                    Following::Freely => {}
                    Following::OnlyTo(uid) => rest.push(Step::Check { uid, link: current.clone() }),
                    Following::Never(uid) => return Err(refused(uid, current)),
                }
                if target.has_root() {
                    current = PathBuf::from("/");
                } else {
                    current.pop();
                }
                rest.extend(steps(target));
            }
        }
        let node = self.nodes.get(&current);
        Ok((current, node))
    }

    /// Like [`walk`](Self::walk), for a node that must exist.
    pub(super) fn find(&self, path: &Path, last: Follow) -> Result<(PathBuf, &FileNode), SystemErrorKind> {
        let (path, node) = self.walk(path, last)?;
        Ok((path, node.ok_or(SystemErrorKind::NotFound)?))
    }

    /// Like [`walk`](Self::walk), for a path that must not exist.
    pub(super) fn unused_path(&self, path: &Path) -> Result<PathBuf, SystemErrorKind> {
        refuse_temporary(path)?;
        match self.walk(path, Follow::Never)? {
            (path, None) => Ok(path),
            (_, Some(_)) => Err(SystemErrorKind::AlreadyExists),
        }
    }

    /// Like [`find`](Self::find), for a node to be changed in place, which affects its other names too.
    pub(super) fn find_for_change(
        &self,
        path: &Path,
        last: Follow,
    ) -> Result<(PathBuf, &FileNode), SystemErrorKind> {
        let (path, node) = self.find(path, last)?;
        self.refuse_foreign(&path, node, |folder, file| TRUST.is_foreign_name(folder, file))?;
        Ok((path, node))
    }

    /// Like [`find`](Self::find), for a file to be read.
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

    /// Refuses a name that another user may have given to a file without access to it.
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
        let owner_of = |uid| FileOwner { uid, name: None };
        Err(SystemErrorKind::ForeignName(Box::new(ForeignName {
            owner: owner_of(node.uid),
            folder: owner_of(folder.uid),
        })))
    }

    pub(super) fn get(&self, path: &Path) -> Option<&FileNode> {
        self.nodes.get(path)
    }

    /// Returns the current path of a node that was last at `path`; `None` if it is gone.
    pub(super) fn place(&self, identity: Identity, path: &Path) -> Option<PathBuf> {
        let is_it = |node: &FileNode| node.identity.is(identity);
        if self.nodes.get(path).is_some_and(is_it) {
            return Some(path.to_owned());
        }
        self.nodes.iter().find(|(_, node)| is_it(node)).map(|(path, _)| path.clone())
    }

    /// Changes the node at a link-free path, under all its names.
    pub(super) fn alter(&mut self, path: &Path, change: impl FnOnce(&mut FileNode)) {
        let Some(node) = self.nodes.get_mut(path) else { return };
        change(node);
        if node.links > 1 {
            let changed = node.clone();
            self.names_of(changed.identity).for_each(|node| node.clone_from(&changed));
        }
    }

    /// Gives the file at a link-free path a further name.
    pub(super) fn link(&mut self, existing: &Path, path: PathBuf) {
        self.alter(existing, |node| node.links += 1);
        if let Some(node) = self.nodes.get(existing).cloned() {
            self.nodes.insert(path, node);
        }
    }

    fn names_of(&mut self, identity: Identity) -> impl Iterator<Item = &mut FileNode> {
        self.nodes.values_mut().filter(move |node| node.identity.is(identity))
    }

    fn remove_link(&mut self, node: &FileNode) {
        if node.links > 1 {
            self.names_of(node.identity).for_each(|node| node.links -= 1);
        }
    }

    /// Adds a node owned by root.
    ///
    /// A set-gid directory determines the group.
    pub(super) fn create(&mut self, path: PathBuf, content: Content, mode: u32, now: SystemTime) {
        const SET_GID: u32 = 0o2000;
        let directory = path.parent().and_then(|parent| self.nodes.get(parent));
        let gid = directory.filter(|node| node.mode & SET_GID != 0).map_or(0, |node| node.gid);
        self.last = Identity(self.last.0 + 1);
        let identity = self.last;
        let extended = BTreeMap::new();
        let node = FileNode { content, mode, uid: 0, gid, modified: now, extended, links: 1, identity };
        self.nodes.insert(path, node);
    }

    /// Removes a node without children.
    pub(super) fn remove_one(&mut self, path: &Path) {
        if let Some(node) = self.nodes.remove(path) {
            self.remove_link(&node);
        }
    }

    pub(super) fn remove(&mut self, path: &Path) {
        for (_, node) in self.take(path) {
            self.remove_link(&node);
        }
    }

    /// Takes out a node and everything below it, to move it elsewhere.
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

    /// Moves a node and everything below it.
    ///
    /// An existing target without children is replaced.
    ///
    /// If both paths are names of the same file, nothing happens.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) {
        let (moved, replaced) = (self.nodes.get(from), self.nodes.get(to));
        if from == to || moved.zip(replaced).is_some_and(|(from, to)| from.identity.is(to.identity)) {
            return;
        }
        self.remove_one(to);
        for (path, node) in self.take(from) {
            let path = match path.strip_prefix(from) {
                Ok(relative) if !relative.as_os_str().is_empty() => to.join(relative),
                // Joining an empty path would add a slash.
                _ => to.to_owned(),
            };
            self.nodes.insert(path, node);
        }
    }

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

    pub(super) fn set_times(&mut self, modified: SystemTime) {
        self.nodes.values_mut().for_each(|node| node.modified = modified);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&PathBuf, &FileNode)> {
        self.nodes.iter()
    }
}

/// Splits a path into steps in reverse order.
///
/// A trailing slash is a step to `.`, which only directories have.
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

/// Refuses names that the local system reserves for temporary files.
pub(super) fn refuse_temporary(path: &Path) -> Result<(), SystemErrorKind> {
    if path.file_name().is_some_and(is_temporary) { Err(SystemErrorKind::ReservedName) } else { Ok(()) }
}

/// Returns the error for a refused link.
///
/// The caller adds the user name.
fn refused(uid: u32, link: PathBuf) -> SystemErrorKind {
    SystemErrorKind::ForeignLink(Box::new(ForeignLink { link, owner: FileOwner { uid, name: None } }))
}
