//! Notification of changes to managed files, based on inotify.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use converge_controller::Id;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, sleep_until};

/// The maximum number of watched folders.
///
/// The kernel also limits the total per user, and other programs need a share.
const FOLDERS: usize = 4096;
/// The pause between two reads of events, and with `AT_ONCE` the limit on their cost.
///
/// A program that constantly writes next to a watched file cannot exceed it.
const REST: Duration = Duration::from_millis(100);
const AT_ONCE: usize = 20_000;

/// Watches the paths that modules manage.
///
/// The watches are on the folders of these paths, because a replaced file is a new inode.
#[derive(Debug)]
pub(super) struct Notices {
    inotify: AsyncFd<OwnedFd>,
    folders: HashMap<i32, Folder>,
    /// The assignments with a change that was not returned yet.
    changed: BTreeSet<Id>,
    /// The time of the next read.
    rested: Instant,
    /// Whether the limit of watched folders was reached; logged once.
    is_full: bool,
}

/// The watchers of each name in a folder.
#[derive(Debug, Default)]
struct Folder(HashMap<OsString, BTreeSet<Id>>);

impl Notices {
    /// Creates a notifier without watches.
    ///
    /// Returns `None` and logs the reason if the system does not support it.
    pub(super) fn new() -> Option<Self> {
        #[expect(deprecated, reason = "what replaces it is unsafe, and asks for what an owned descriptor is")]
        let begun = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)
            .map_err(io::Error::from)
            .and_then(AsyncFd::new);
        match begun {
            Ok(inotify) => {
                let (folders, changed, rested) = (HashMap::new(), BTreeSet::new(), Instant::now());
                Some(Self { inotify, folders, changed, rested, is_full: false })
            }
            Err(error) => {
                tracing::warn!(%error, "changes by others are found only at the interval of the module");
                None
            }
        }
    }

    /// Replaces the watched paths of an assignment.
    ///
    /// Changes to paths that cannot be watched are found by the regular check.
    pub(super) fn watch(&mut self, id: &Id, paths: &BTreeSet<PathBuf>) {
        let before: Vec<i32> =
            self.folders.iter().filter(|(_, folder)| folder.has(id)).map(|(watch, _)| *watch).collect();
        for folder in self.folders.values_mut() {
            folder.forget(id);
        }
        for path in paths {
            let Some((folder, name)) = nearest(path) else { continue };
            match self.add(folder) {
                Ok(watch) => {
                    let names = &mut self.folders.entry(watch).or_default().0;
                    names.entry(name.to_owned()).or_default().insert(id.clone());
                }
                Err(Errno::NOSPC) if !self.is_full => {
                    self.is_full = true;
                    tracing::warn!(
                        folder = %folder.display(),
                        "no more folders can be watched: changes by others are found only at the interval of the module"
                    );
                }
                Err(error) => tracing::debug!(folder = %folder.display(), %error, "cannot be watched"),
            }
        }
        for watch in before {
            if self.folders.get(&watch).is_some_and(|folder| folder.0.is_empty()) {
                self.folders.remove(&watch);
                // The watch may be gone already, together with its folder.
                let _ = inotify::remove_watch(&self.inotify, watch);
            }
        }
    }

    /// Waits for a change to a watched path and returns the affected assignments.
    ///
    /// The future is cancel safe: no change is lost if it is dropped.
    pub(super) async fn changed(&mut self) -> BTreeSet<Id> {
        loop {
            if !self.changed.is_empty() {
                return std::mem::take(&mut self.changed);
            }
            sleep_until(self.rested).await;
            let Ok(mut ready) = self.inotify.readable().await else { return std::future::pending().await };
            if read(self.inotify.get_ref(), &mut self.folders, &mut self.changed) {
                ready.clear_ready();
            }
            self.rested = Instant::now() + REST;
        }
    }

    fn add(&self, folder: &Path) -> Result<i32, Errno> {
        if self.folders.len() >= FOLDERS {
            return Err(Errno::NOSPC);
        }
        let events = WatchFlags::CREATE
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        inotify::add_watch(&self.inotify, folder, events)
    }
}

/// Reads a limited number of events; returns whether all were read.
fn read(inotify: &OwnedFd, folders: &mut HashMap<i32, Folder>, changed: &mut BTreeSet<Id>) -> bool {
    let mut bytes = [MaybeUninit::uninit(); 16 * 1024];
    let mut events = Reader::new(inotify, &mut bytes);
    let mut count = 0;
    // Events already read into the buffer must not stay there.
    while count < AT_ONCE || !events.is_buffer_empty() {
        count += 1;
        let Ok(event) = events.next() else { return true };
        let is = |flags| event.events().intersects(flags);
        match folders.get(&event.wd()) {
            _ if is(ReadFlags::QUEUE_OVERFLOW) => {
                changed.extend(folders.values().flat_map(Folder::everybody).cloned());
            }
            Some(folder) if is(ReadFlags::IGNORED | ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF) => {
                changed.extend(folder.everybody().cloned());
            }
            Some(folder) => {
                let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                changed.extend(name.and_then(|name| folder.0.get(name)).into_iter().flatten().cloned());
            }
            None => {}
        }
        if is(ReadFlags::IGNORED) {
            folders.remove(&event.wd());
        }
    }
    false
}

impl Folder {
    fn has(&self, id: &Id) -> bool {
        self.0.values().any(|ids| ids.contains(id))
    }

    fn forget(&mut self, id: &Id) {
        self.0.retain(|_, ids| {
            ids.remove(id);
            !ids.is_empty()
        });
    }

    fn everybody(&self) -> impl Iterator<Item = &Id> {
        self.0.values().flatten()
    }
}

/// Returns the nearest existing folder of a path, and the name in it that leads to the path.
///
/// While a parent folder is missing, only its creation matters.
fn nearest(path: &Path) -> Option<(&Path, &OsStr)> {
    let mut path = path;
    loop {
        let (folder, name) = (path.parent()?, path.file_name()?);
        if folder.is_dir() {
            return Some((folder, name));
        }
        path = folder;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use converge_controller::Scope;

    use super::*;

    fn id(name: &str) -> Id {
        let resource_type = "converge.v1.Assignment".parse().unwrap();
        Id::new(resource_type, Scope::Namespace.default_tenancy(), name.parse().unwrap())
    }

    fn paths(folder: &Path, names: &[&str]) -> BTreeSet<PathBuf> {
        names.iter().map(|name| folder.join(name)).collect()
    }

    /// Returns the assignments that are notified of the changes that `act` makes.
    async fn heard(notices: &mut Notices, act: impl FnOnce()) -> Vec<String> {
        act();
        // Events arrive in order: once this marker arrives, all changes before it have arrived.
        let (marker, place) = (id("marker"), tempfile::tempdir().unwrap());
        notices.watch(&marker, &paths(place.path(), &["marker"]));
        fs::write(place.path().join("marker"), "").unwrap();
        let mut heard = BTreeSet::new();
        while !heard.contains(&marker) {
            heard.extend(notices.changed().await);
        }
        notices.watch(&marker, &BTreeSet::new());
        heard.iter().filter(|id| **id != marker).map(|id| id.name.to_string()).collect()
    }

    #[tokio::test]
    async fn what_others_do_to_a_path_is_heard_by_those_who_watch_it() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("conf.d")).unwrap();
        fs::write(at("conf.d/a"), "1").unwrap();
        let mut notices = Notices::new().unwrap();
        notices.watch(&id("site"), &paths(place.path(), &["conf.d/a", "conf.d/b", "missing/deep/file"]));
        notices.watch(&id("base"), &paths(place.path(), &["conf.d/a"]));

        let both = ["base", "site"];
        assert_eq!(heard(&mut notices, || fs::write(at("conf.d/a"), "2").unwrap()).await, both);
        assert_eq!(heard(&mut notices, || fs::write(at("conf.d/other"), "2").unwrap()).await, [""; 0]);
        assert_eq!(heard(&mut notices, || drop(fs::read(at("conf.d/a")).unwrap())).await, [""; 0]);
        let open_to_all = fs::Permissions::from_mode(0o666);
        assert_eq!(
            heard(&mut notices, || fs::set_permissions(at("conf.d/a"), open_to_all).unwrap()).await,
            both
        );
        assert_eq!(
            heard(&mut notices, || fs::rename(at("conf.d/other"), at("conf.d/b")).unwrap()).await,
            ["site"]
        );
        assert_eq!(heard(&mut notices, || fs::remove_file(at("conf.d/b")).unwrap()).await, ["site"]);
        assert_eq!(heard(&mut notices, || fs::create_dir(at("missing")).unwrap()).await, ["site"]);

        notices.watch(&id("site"), &BTreeSet::new());
        assert_eq!(heard(&mut notices, || fs::write(at("conf.d/a"), "3").unwrap()).await, ["base"]);
        assert_eq!(heard(&mut notices, || fs::remove_dir_all(at("conf.d")).unwrap()).await, ["base"]);
        notices.watch(&id("base"), &paths(place.path(), &["conf.d/a"]));
        assert_eq!(heard(&mut notices, || fs::create_dir(at("conf.d")).unwrap()).await, ["base"]);
        notices.watch(&id("base"), &BTreeSet::new());
        assert!(notices.folders.is_empty(), "{notices:?}");
        assert_eq!(heard(&mut notices, || fs::write(at("conf.d/a"), "3").unwrap()).await, [""; 0]);
    }

    #[tokio::test]
    async fn more_than_the_system_keeps_is_heard_as_a_change_of_all() {
        let place = tempfile::tempdir().unwrap();
        let mut notices = Notices::new().unwrap();
        notices.watch(&id("site"), &paths(place.path(), &["a"]));
        let most: usize =
            fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
        let flood = || {
            for number in 0..=most {
                // Two identical events in a row would be merged by the system.
                fs::write(place.path().join(["x", "y"][number % 2]), "").unwrap();
            }
        };
        assert_eq!(heard(&mut notices, flood).await, ["site"]);
    }
}
