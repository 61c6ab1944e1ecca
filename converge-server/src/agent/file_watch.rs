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

/// The file systems whose changes are all made by this machine, by their `f_type` (`statfs(2)`).
///
/// Other machines change network file systems, and the kernel changes `/proc` and `/sys`, without an event.
const LOCAL: [u32; 8] = [
    0xEF53,      // ext2, ext3 and ext4
    0x5846_5342, // XFS
    0x9123_683E, // Btrfs
    0x2FC1_2FC1, // ZFS
    0xF2F5_2010, // F2FS
    0xCA45_1A4E, // bcachefs
    0x0102_1994, // tmpfs
    0x794C_7630, // overlayfs
];

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

/// A folder on the way to a watched path.
#[derive(Clone, Copy, Debug)]
enum Watched {
    Folder {
        watch: i32,
        /// Whether each change of an entry is noticed.
        is_local: bool,
    },
    /// There is no such folder, and its creation is noticed.
    Missing,
    /// Changes may go unnoticed.
    Unknown,
}

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

    /// Replaces the watched paths of an assignment, and returns those whose changes may go unnoticed.
    ///
    /// All folders on the way to a path are watched too, because they may be renamed or be links.
    pub(super) fn watch(&mut self, id: &Id, paths: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let before: Vec<i32> =
            self.folders.iter().filter(|(_, folder)| folder.has(id)).map(|(watch, _)| *watch).collect();
        for folder in self.folders.values_mut() {
            folder.forget(id);
        }
        let mut known = HashMap::new();
        let unnoticed = paths.iter().filter(|path| !self.watch_path(path, id, &mut known)).cloned().collect();
        for watch in before {
            if self.folders.get(&watch).is_some_and(|folder| folder.0.is_empty()) {
                self.folders.remove(&watch);
                // The watch may be gone already, together with its folder.
                let _ = inotify::remove_watch(&self.inotify, watch);
            }
        }
        unnoticed
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

    /// Watches a name in its folder, and returns whether every change is noticed.
    fn watch_path<'p>(&mut self, path: &'p Path, id: &Id, known: &mut HashMap<&'p Path, Watched>) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path == Path::new("/");
        };
        match self.watch_folder(folder, id, known) {
            Watched::Folder { watch, is_local } => {
                let names = &mut self.folders.entry(watch).or_default().0;
                names.entry(name.to_owned()).or_default().insert(id.clone());
                is_local
            }
            Watched::Missing => true,
            Watched::Unknown => false,
        }
    }

    fn watch_folder<'p>(
        &mut self,
        folder: &'p Path,
        id: &Id,
        known: &mut HashMap<&'p Path, Watched>,
    ) -> Watched {
        if let Some(known) = known.get(folder) {
            return *known;
        }
        // Who creates or replaces the folder meanwhile is noticed by its parent.
        let is_name_noticed = self.watch_path(folder, id, known);
        let watched = match self.add(folder) {
            Ok(watch) => Watched::Folder { watch, is_local: is_name_noticed && is_local(folder) },
            Err(Errno::NOENT | Errno::NOTDIR) if is_name_noticed => Watched::Missing,
            Err(error) => {
                if error == Errno::NOSPC && !std::mem::replace(&mut self.is_full, true) {
                    tracing::warn!(
                        folder = %folder.display(),
                        "no more folders can be watched: changes by others are found only at the interval of the module"
                    );
                }
                tracing::debug!(folder = %folder.display(), %error, "cannot be watched");
                Watched::Unknown
            }
        };
        known.insert(folder, watched);
        watched
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

/// Whether only this machine can change a folder, so that each change is an event.
fn is_local(folder: &Path) -> bool {
    rustix::fs::statfs(folder)
        .is_ok_and(|system| u32::try_from(system.f_type).is_ok_and(|kind| LOCAL.contains(&kind)))
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
    async fn folders_on_the_way_are_watched_and_links_too() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("old/conf.d")).unwrap();
        fs::create_dir_all(at("new/conf.d")).unwrap();
        std::os::unix::fs::symlink("old", at("site")).unwrap();
        let mut notices = Notices::new().unwrap();
        let unnoticed = notices.watch(&id("site"), &paths(place.path(), &["site/conf.d/a"]));
        assert_eq!(unnoticed, BTreeSet::new());
        assert_eq!(heard(&mut notices, || fs::write(at("old/conf.d/a"), "1").unwrap()).await, ["site"]);
        let lead_elsewhere = || {
            std::os::unix::fs::symlink("new", at("other")).unwrap();
            fs::rename(at("other"), at("site")).unwrap();
        };
        assert_eq!(heard(&mut notices, lead_elsewhere).await, ["site"]);
        notices.watch(&id("site"), &paths(place.path(), &["new/conf.d/a"]));
        assert_eq!(heard(&mut notices, || fs::rename(at("new"), at("gone")).unwrap()).await, ["site"]);
    }

    #[tokio::test]
    async fn changes_of_the_kernel_and_of_relative_paths_go_unnoticed() {
        let mut notices = Notices::new().unwrap();
        let place = tempfile::tempdir().unwrap();
        let check = |notices: &mut Notices, path: PathBuf, expect: bool| {
            let unnoticed = notices.watch(&id("site"), &[path.clone()].into());
            assert_eq!(unnoticed.is_empty(), expect, "{path:?}");
        };
        check(&mut notices, place.path().join("a"), true);
        check(&mut notices, place.path().join("missing/a"), true);
        check(&mut notices, "/".into(), true);
        check(&mut notices, "/proc/sys/kernel/hostname".into(), false);
        check(&mut notices, "a".into(), false);
        check(&mut notices, place.path().join("x/.."), false);
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
