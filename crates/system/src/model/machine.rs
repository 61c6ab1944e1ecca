//! The state of a model machine, and how tests set it up and look at it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::tree::{Content, FileNode, Tree};
use crate::{Address, Follow, ForeignName, Group, Inode, SystemErrorKind, Url, User};

/// Where Linux says which boot it is.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// What says that systemd runs the machine; it makes that in each boot.
const SYSTEMD: &str = "/run/systemd/system";

/// The state of a [`ModelSystem`](super::ModelSystem).
///
/// What a method puts takes the place of what is there, and missing directories are made. Paths are
/// absolute; links are followed by none of the methods that change, and by all that only look.
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
    /// Files that nothing can take the place of.
    pub(super) mounted: BTreeSet<PathBuf>,
    /// How often it has booted.
    boots: u64,
    is_going_down: bool,
}

/// What a host of the network around the model does otherwise than to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostState {
    /// It is there, and nobody listens.
    Refuses,
    /// There is no way to it.
    Unreachable,
    /// It says nothing, neither yes nor no. A connection is waited for without end, and a request for as long as it allows.
    Hangs,
}

/// What a disk of the model does otherwise than one that can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disk {
    /// There is no room for anything new: neither for a file, however small, nor for a directory or a link, nor for more in a file that
    /// is there. All else goes on. It stays full until the test says otherwise, whatever is removed.
    Full,
    /// Nothing on it can be changed.
    ReadOnly,
}

/// What a server of the model has at a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `200` for what is to be fetched.
    pub status: u16,
    /// The body.
    pub content: Vec<u8>,
    /// The header `ETag`.
    pub etag: Option<String>,
    /// The header `Last-Modified`: `Wed, 01 Jan 2020 00:00:00 GMT`.
    pub last_modified: Option<String>,
}

impl Page {
    /// Something that can be fetched, of which the server says nothing else.
    pub fn new(content: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, content: content.into(), etag: None, last_modified: None }
    }
}

/// What is at a path of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// How many names it has, this one among them.
    pub links: u64,
}

/// What is at a path of a snapshot, with its content.
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

    /// The bytes of a file; `None` when there is no file at the path.
    pub fn file(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        match &self.tree.find(path.as_ref(), Follow::Links).ok()?.1.content {
            Content::File(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// What is at a path, itself and not what it links to.
    pub fn entry(&self, path: impl AsRef<Path>) -> Option<Entry> {
        self.tree.find(path.as_ref(), Follow::Never).ok().map(|(_, node)| entry(node))
    }

    /// Everything that there is, by path.
    pub fn entries(&self) -> BTreeMap<PathBuf, Entry> {
        self.tree.iter().map(|(path, node)| (path.clone(), entry(node))).collect()
    }

    /// Whether there is a listener at an address.
    pub fn listens(&self, address: &Address) -> bool {
        self.listeners.contains(address)
    }

    /// Puts a listener at an address.
    pub fn put_listener(&mut self, address: Address) {
        self.listeners.insert(address);
    }

    /// What there is at a URL.
    pub fn page(&self, url: &Url) -> Option<&Page> {
        self.pages.get(&url.to_string())
    }

    /// Whether anything is at a URL of this server.
    pub(super) fn has_pages_of(&self, url: &Url) -> bool {
        let mut urls = self.pages.keys().filter_map(|known| known.parse().ok());
        urls.any(|known: Url| known.same_origin(url))
    }

    /// Puts something at a URL, which is written in full.
    pub fn put_page(&mut self, url: &str, page: Page) {
        let url = url.parse().map_or_else(|_| url.to_owned(), |url: Url| url.to_string());
        self.pages.insert(url, page);
    }

    /// What is wrong with a host of the network.
    pub fn host(&self, host: &str) -> Option<HostState> {
        self.hosts.get(&host.to_ascii_lowercase()).copied()
    }

    /// Lets a host of the network, which is a name or an address without brackets, do something else than to answer: whoever listens there.
    pub fn put_host(&mut self, host: &str, state: HostState) {
        self.hosts.insert(host.to_ascii_lowercase(), state);
    }

    /// Lets a host answer again.
    pub fn restore_host(&mut self, host: &str) {
        self.hosts.remove(&host.to_ascii_lowercase());
    }

    /// Puts all below a path, which becomes a directory when it is none, on a disk of its own; `/` is the whole machine. A disk below another one is
    /// for what is below it.
    pub fn put_disk(&mut self, path: impl AsRef<Path>, disk: Disk) {
        self.put_dir(&path);
        self.disks.insert(normal(path.as_ref()), disk);
    }

    /// Lets the disk at this path be written to again: there is none of its own any more.
    pub fn restore_disk(&mut self, path: impl AsRef<Path>) {
        self.disks.remove(&normal(path.as_ref()));
    }

    /// Puts a file of mode `0644` that is mounted by itself: it can be written in place, and neither be replaced nor removed.
    pub fn put_mounted_file(&mut self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        self.put_file(&path, content);
        self.mounted.insert(normal(path.as_ref()));
    }

    /// Puts a file of mode `0644`.
    pub fn put_file(&mut self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        self.put(path.as_ref(), Content::File(Arc::from(content.into())), 0o644);
    }

    /// Puts a directory of mode `0755`; one that is there stays as it is.
    pub fn put_dir(&mut self, path: impl AsRef<Path>) {
        let path = normal(path.as_ref());
        if !self.tree.get(&path).is_some_and(FileNode::is_dir) {
            self.put(&path, Content::Directory, 0o755);
        }
    }

    /// Puts a symbolic link.
    pub fn put_symlink(&mut self, path: impl AsRef<Path>, target: impl Into<PathBuf>) {
        self.put(path.as_ref(), Content::Symlink(target.into()), 0o777);
    }

    /// Puts another name of the file at `existing`. Without a file there it puts nothing.
    pub fn put_hard_link(&mut self, path: impl AsRef<Path>, existing: impl AsRef<Path>) {
        let (path, existing) = (normal(path.as_ref()), normal(existing.as_ref()));
        let is_file = |node: &FileNode| matches!(node.content, Content::File(_));
        if path == existing || !self.tree.get(&existing).is_some_and(is_file) {
            return;
        }
        self.put_file(&path, "");
        self.tree.remove_one(&path);
        self.tree.link(&existing, path);
    }

    /// Sets the permission bits of what is at the path.
    pub fn put_mode(&mut self, path: impl AsRef<Path>, mode: u32) {
        self.tree.alter(&normal(path.as_ref()), |node| node.mode = mode);
    }

    /// Sets owner and group of what is at the path.
    pub fn put_owner(&mut self, path: impl AsRef<Path>, uid: u32, gid: u32) {
        self.tree.alter(&normal(path.as_ref()), |node| (node.uid, node.gid) = (uid, gid));
    }

    /// Removes what is at the path, with all below it.
    pub fn remove(&mut self, path: impl AsRef<Path>) {
        let path = normal(path.as_ref());
        if path.parent().is_some() {
            self.tree.remove(&path);
        }
    }

    fn put(&mut self, path: &Path, content: Content, mode: u32) {
        let path = normal(path);
        let Some(parent) = path.parent() else { return };
        self.put_dir(parent);
        self.tree.remove(&path);
        self.tree.create(path, content, mode, self.now);
    }

    /// The same reason with the name of the user that it is about.
    pub(super) fn named(&self, kind: SystemErrorKind) -> SystemErrorKind {
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

    /// Which file a node is, which is at this path.
    pub(super) fn inode(&self, path: &Path, node: &FileNode) -> Inode {
        let disk = path.ancestors().find_map(|path| self.disks.keys().position(|disk| disk == path));
        Inode { device: disk.map_or(1, |disk| disk as u64 + 2), number: node.identity.number() }
    }

    /// The user of a name.
    pub fn user(&self, name: &str) -> Option<&User> {
        self.users.get(name)
    }

    /// All users, by name.
    pub fn users(&self) -> impl Iterator<Item = &User> {
        self.users.values()
    }

    /// Puts a user.
    pub fn put_user(&mut self, user: User) {
        self.users.insert(user.name.clone(), user);
    }

    /// Removes a user, and says who it was.
    pub fn remove_user(&mut self, name: &str) -> Option<User> {
        self.users.remove(name)
    }

    /// The group of a name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.get(name)
    }

    /// All groups, by name.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    /// Puts a group.
    pub fn put_group(&mut self, group: Group) {
        self.groups.insert(group.name.clone(), group);
    }

    /// Removes a group, and says which it was.
    pub fn remove_group(&mut self, name: &str) -> Option<Group> {
        self.groups.remove(name)
    }

    /// What is known under a name that means something to a test only: an installed package, the state of a
    /// service.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    /// All facts, by name.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Puts a fact.
    pub fn put_fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.insert(name.into(), value.into());
    }

    /// Removes a fact, and says what it was.
    pub fn remove_fact(&mut self, name: &str) -> Option<String> {
        self.facts.remove(name)
    }

    /// Lets the machine go down, as `shutdown -r` does: it [boots](super::ModelSystem::boot) when the run is over.
    pub fn go_down(&mut self) {
        self.is_going_down = true;
    }

    /// Whether it has been told to boot, and has not booted yet.
    pub fn is_going_down(&self) -> bool {
        self.is_going_down
    }

    /// How often it has booted.
    pub fn boots(&self) -> u64 {
        self.boots
    }

    /// Another boot begins.
    pub(super) fn boot(&mut self) {
        let run = Path::new("/run");
        let below: Vec<PathBuf> = self.tree.children(run).map(|(path, _)| path.to_owned()).collect();
        let has_systemd = self.tree.get(Path::new(SYSTEMD)).is_some();
        for path in &below {
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

    /// The time of day.
    pub fn now(&self) -> SystemTime {
        self.now
    }

    /// Turns the clock. It stops at the last moment that it can show.
    pub(super) fn advance(&mut self, duration: Duration) {
        self.now = self.now.checked_add(duration).unwrap_or(self.now);
    }

    /// The same machine with all times of files taken away, to compare what two runs left.
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

/// An absolute path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
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
