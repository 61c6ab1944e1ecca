//! The state of a model host, and methods to change and inspect it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::tree::{Content, FileNode, Tree};
use crate::{Address, Follow, ForeignName, Group, Inode, SystemErrorKind, Url, User};

/// The file with the boot id on Linux.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// The directory that systemd creates at boot, which identifies it.
const SYSTEMD: &str = "/run/systemd/system";

/// The state of a [`ModelSystem`](super::ModelSystem).
///
/// The `put` methods replace an existing entry and create missing directories. Paths are absolute. Methods
/// that change the machine do not follow links; methods that only read do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub(super) tree: Tree,
    pub(super) users: BTreeMap<String, User>,
    pub(super) groups: BTreeMap<String, Group>,
    pub(super) now: SystemTime,
    facts: BTreeMap<String, String>,
    listeners: BTreeSet<Address>,
    pages: BTreeMap<String, Page>,
    hosts: BTreeMap<String, HostState>,
    pub(super) disks: BTreeMap<PathBuf, Disk>,
    /// The files that cannot be replaced.
    pub(super) mounted: BTreeSet<PathBuf>,
    boots: u64,
    is_going_down: bool,
}

/// The fault of a host in the network of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostState {
    /// The host exists, and nothing listens on it.
    Refuses,
    /// There is no route to the host.
    Unreachable,
    /// The host does not respond.
    ///
    /// A connection attempt waits forever, a request until its time limit.
    Hangs,
}

/// The fault of a disk of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// The disk has no space for new files, directories, links or content.
    ///
    /// All other operations succeed. Removing files does not free space; the disk stays full until the test
    /// changes it.
    Full,
    /// The disk is read-only.
    ReadOnly,
}

/// A page at a URL of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The status; `200` for a normal page.
    pub status: u16,
    /// The body.
    pub content: Vec<u8>,
    /// The `ETag` header.
    pub etag: Option<String>,
    /// The `Last-Modified` header: `Wed, 01 Jan 2020 00:00:00 GMT`.
    pub last_modified: Option<String>,
}

impl Page {
    /// Creates a normal page without further headers.
    pub fn new(content: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, content: content.into(), etag: None, last_modified: None }
    }
}

/// An entry of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The permission bits.
    pub mode: u32,
    /// The user id of the owner.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
    /// The number of names, including this one.
    pub links: u64,
}

/// The kind of an entry of a snapshot, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A directory.
    Directory,
    /// A symbolic link to this path.
    Symlink(PathBuf),
}

impl Machine {
    pub(super) fn new(now: SystemTime) -> Self {
        let group =
            |name: &str, gid| (name.to_owned(), Group { name: name.to_owned(), gid, members: vec![] });
        let mut root = user("root", 0, 0);
        root.home = "/root".into();
        let system = |name, id| {
            let home = "/nonexistent".into();
            User { home, shell: "/usr/sbin/nologin".into(), ..user(name, id, id) }
        };
        let users = [root, system("daemon", 1), system("nobody", 65534)];
        Self {
            tree: Tree::new(now),
            users: users.into_iter().map(|user| (user.name.clone(), user)).collect(),
            groups: BTreeMap::from([group("root", 0), group("daemon", 1), group("nogroup", 65534)]),
            now,
            facts: BTreeMap::new(),
            listeners: BTreeSet::new(),
            pages: BTreeMap::new(),
            hosts: BTreeMap::new(),
            disks: BTreeMap::new(),
            mounted: BTreeSet::new(),
            boots: 0,
            is_going_down: false,
        }
    }

    /// Returns the content of a file; `None` if there is no file at the path.
    pub fn file(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        match &self.tree.find(path.as_ref(), Follow::Links).ok()?.1.content {
            Content::File(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the entry at a path, without following a link.
    pub fn entry(&self, path: impl AsRef<Path>) -> Option<Entry> {
        self.tree.find(path.as_ref(), Follow::Never).ok().map(|(_, node)| entry(node))
    }

    /// Returns all entries by path.
    pub fn entries(&self) -> BTreeMap<PathBuf, Entry> {
        self.tree.iter().map(|(path, node)| (path.clone(), entry(node))).collect()
    }

    /// Whether there is a listener at an address.
    pub fn listens(&self, address: &Address) -> bool {
        self.listeners.contains(address)
    }

    /// Adds a listener at an address.
    pub fn put_listener(&mut self, address: Address) {
        self.listeners.insert(address);
    }

    /// Returns the page at a URL.
    pub fn page(&self, url: &Url) -> Option<&Page> {
        self.pages.get(&url.to_string())
    }

    pub(super) fn has_pages_of(&self, url: &Url) -> bool {
        let mut urls = self.pages.keys().filter_map(|text| text.parse().ok());
        urls.any(|known: Url| known.same_origin(url))
    }

    /// Sets the page at an absolute URL.
    pub fn put_page(&mut self, url: &str, page: Page) {
        let url = url.parse().map_or_else(|_| url.to_owned(), |url: Url| url.to_string());
        self.pages.insert(url, page);
    }

    /// Returns the fault of a host.
    pub fn host(&self, host: &str) -> Option<HostState> {
        self.hosts.get(&host.to_ascii_lowercase()).copied()
    }

    /// Makes a host fail, including all its listeners.
    ///
    /// The host is a name or an address without brackets.
    pub fn put_host(&mut self, host: &str, state: HostState) {
        self.hosts.insert(host.to_ascii_lowercase(), state);
    }

    /// Removes the fault of a host.
    pub fn restore_host(&mut self, host: &str) {
        self.hosts.remove(&host.to_ascii_lowercase());
    }

    /// Puts all files below a path on a disk with a fault; `/` is the root directory.
    ///
    /// The path becomes a directory if it is none. A nested disk applies to the files below it.
    pub fn put_disk(&mut self, path: impl AsRef<Path>, disk: Disk) {
        self.put_dir(&path);
        self.disks.insert(normalize_path(path.as_ref()), disk);
    }

    /// Removes the disk at this path, which thereby becomes writable again.
    pub fn restore_disk(&mut self, path: impl AsRef<Path>) {
        self.disks.remove(&normalize_path(path.as_ref()));
    }

    /// Adds a file with mode `0644` that is a mount point.
    ///
    /// A write overwrites it. It can be neither renamed, replaced nor removed.
    pub fn put_mounted_file(&mut self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        self.put_file(&path, content);
        self.mounted.insert(normalize_path(path.as_ref()));
    }

    /// Adds a file with mode `0644`.
    pub fn put_file(&mut self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        self.put(path.as_ref(), Content::File(Arc::from(content.into())), 0o644);
    }

    /// Adds a directory with mode `0755`.
    ///
    /// An existing directory is left unchanged.
    pub fn put_dir(&mut self, path: impl AsRef<Path>) {
        let path = normalize_path(path.as_ref());
        if !self.tree.get(&path).is_some_and(FileNode::is_dir) {
            self.put(&path, Content::Directory, 0o755);
        }
    }

    /// Adds a symbolic link.
    pub fn put_symlink(&mut self, path: impl AsRef<Path>, target: impl Into<PathBuf>) {
        self.put(path.as_ref(), Content::Symlink(target.into()), 0o777);
    }

    /// Adds a further name of the file at `existing`.
    ///
    /// Does nothing if there is no such file.
    pub fn put_hard_link(&mut self, path: impl AsRef<Path>, existing: impl AsRef<Path>) {
        let (path, existing) = (normalize_path(path.as_ref()), normalize_path(existing.as_ref()));
        let is_file = |node: &FileNode| matches!(node.content, Content::File(_));
        if path == existing || !self.tree.get(&existing).is_some_and(is_file) {
            return;
        }
        self.put_file(&path, "");
        self.tree.remove_one(&path);
        self.tree.link(&existing, path);
    }

    /// Sets the permission bits of the file at the path.
    pub fn put_mode(&mut self, path: impl AsRef<Path>, mode: u32) {
        self.tree.alter(&normalize_path(path.as_ref()), |node| node.set_mode(mode));
    }

    /// Sets an extended attribute of the file at the path, if Linux would accept it.
    pub fn put_attribute(&mut self, path: impl AsRef<Path>, name: &str, value: &[u8]) {
        // A test that gives an impossible attribute finds that it is missing.
        self.tree.alter(&normalize_path(path.as_ref()), |node| drop(node.set_extended(name, value)));
    }

    /// Returns the value of an extended attribute, following links; `None` if there is none.
    pub fn attribute(&self, path: impl AsRef<Path>, name: &str) -> Option<&[u8]> {
        self.tree.find(path.as_ref(), Follow::Links).ok()?.1.extended.get(name).map(Vec::as_slice)
    }

    /// Sets the owner and group of the file at the path.
    pub fn put_owner(&mut self, path: impl AsRef<Path>, uid: u32, gid: u32) {
        self.tree.alter(&normalize_path(path.as_ref()), |node| (node.uid, node.gid) = (uid, gid));
    }

    /// Removes the file or directory tree at the path.
    pub fn remove(&mut self, path: impl AsRef<Path>) {
        let path = normalize_path(path.as_ref());
        if path.parent().is_some() {
            self.tree.remove(&path);
        }
    }

    fn put(&mut self, path: &Path, content: Content, mode: u32) {
        let path = normalize_path(path);
        let Some(parent) = path.parent() else { return };
        self.put_dir(parent);
        self.tree.remove(&path);
        self.tree.create(path, content, mode, self.now);
    }

    pub(super) fn with_user_names(&self, kind: SystemErrorKind) -> SystemErrorKind {
        match kind {
            SystemErrorKind::ForeignLink(mut refused) => {
                let user = self.users().find(|user| user.uid == refused.owner.uid);
                refused.owner.name = user.map(|user| user.name.clone());
                SystemErrorKind::ForeignLink(refused)
            }
            SystemErrorKind::ForeignName(mut refused) => {
                let ForeignName { owner, folder } = &mut *refused;
                for owner in [owner, folder] {
                    let user = self.users().find(|user| user.uid == owner.uid);
                    owner.name = user.map(|user| user.name.clone());
                }
                SystemErrorKind::ForeignName(refused)
            }
            kind => kind,
        }
    }

    /// Returns the identity of the file of a node at this path.
    pub(super) fn inode(&self, path: &Path, node: &FileNode) -> Inode {
        let disk = path.ancestors().find_map(|path| self.disks.keys().position(|disk| disk == path));
        Inode { device: disk.map_or(1, |disk| disk as u64 + 2), number: node.identity.number() }
    }

    /// Returns the user with a name.
    pub fn user(&self, name: &str) -> Option<&User> {
        self.users.get(name)
    }

    /// Returns all users, ordered by name.
    pub fn users(&self) -> impl Iterator<Item = &User> {
        self.users.values()
    }

    /// Adds or replaces a user.
    pub fn put_user(&mut self, user: User) {
        self.users.insert(user.name.clone(), user);
    }

    /// Removes and returns a user.
    pub fn remove_user(&mut self, name: &str) -> Option<User> {
        self.users.remove(name)
    }

    /// Returns the group with a name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.get(name)
    }

    /// Returns all groups, ordered by name.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    /// Adds or replaces a group.
    pub fn put_group(&mut self, group: Group) {
        self.groups.insert(group.name.clone(), group);
    }

    /// Removes and returns a group.
    pub fn remove_group(&mut self, name: &str) -> Option<Group> {
        self.groups.remove(name)
    }

    /// Returns a fact, whose meaning is up to the test: an installed package, the state of a service.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    /// Returns all facts, ordered by name.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Sets a fact.
    pub fn put_fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.insert(name.into(), value.into());
    }

    /// Removes a fact and returns its value.
    pub fn remove_fact(&mut self, name: &str) -> Option<String> {
        self.facts.remove(name)
    }

    /// Requests a reboot, as `shutdown -r` does.
    ///
    /// The machine [boots](super::ModelSystem::boot) after the run.
    pub fn go_down(&mut self) {
        self.is_going_down = true;
    }

    /// Whether a reboot has been requested and not happened yet.
    pub fn is_going_down(&self) -> bool {
        self.is_going_down
    }

    /// Returns the number of boots.
    pub fn boots(&self) -> u64 {
        self.boots
    }

    pub(super) fn boot(&mut self) {
        let run = Path::new("/run");
        let paths: Vec<PathBuf> = self.tree.children(run).map(|(path, _)| path.to_owned()).collect();
        let has_systemd = self.tree.get(Path::new(SYSTEMD)).is_some();
        for path in &paths {
            self.tree.remove(path);
        }
        if has_systemd {
            self.put_dir(SYSTEMD);
        }
        self.boots += 1;
        self.is_going_down = false;
        if self.file(BOOT_ID).is_some() {
            self.put_file(BOOT_ID, format!("00000000-0000-4000-8000-{:012x}\n", self.boots));
        }
    }

    /// Returns the current time.
    pub fn now(&self) -> SystemTime {
        self.now
    }

    /// Advances the clock.
    ///
    /// It stops at the last representable time.
    pub(super) fn advance(&mut self, duration: Duration) {
        self.now = self.now.checked_add(duration).unwrap_or(self.now);
    }

    /// Resets all times, to compare the results of two runs.
    pub fn without_times(mut self) -> Self {
        self.tree.set_times(SystemTime::UNIX_EPOCH);
        self.now = SystemTime::UNIX_EPOCH;
        self
    }
}

pub(super) fn user(name: &str, uid: u32, gid: u32) -> User {
    User {
        name: name.to_owned(),
        uid,
        gid,
        comment: String::new(),
        home: Path::new("/home").join(name),
        shell: "/bin/sh".into(),
    }
}

fn entry(node: &FileNode) -> Entry {
    let kind = match &node.content {
        Content::File(bytes) => EntryKind::File(bytes.to_vec()),
        Content::Directory => EntryKind::Directory,
        Content::Symlink(target) => EntryKind::Symlink(target.clone()),
    };
    Entry { kind, mode: node.mode, uid: node.uid, gid: node.gid, links: node.metadata().links }
}

/// Normalizes an absolute path: removes `.` and `..`.
fn normalize_path(path: &Path) -> PathBuf {
    let mut normal = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            _ => {}
        }
    }
    normal
}
