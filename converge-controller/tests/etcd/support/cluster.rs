//! A cluster of members.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use converge_controller::storage::{Etcd, EtcdOptions};

use super::{Member, installed, run};

/// A cluster whose members run until it is dropped.
pub(crate) struct Cluster {
    members: Mutex<Vec<Member>>,
    /// The `--initial-cluster` argument of the members.
    initial: String,
    /// The number of prefixes in use.
    prefixes: AtomicU64,
    // The folder is dropped after the members.
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts members on this machine; returns `None` and reports the skip if etcd is not installed.
    pub(crate) fn start(members: usize) -> Option<Self> {
        installed("etcd").then(|| Self::from_members((0..members).map(Member::local).collect()))
    }

    /// Returns a cluster that several tests share, each with its own [prefix](Self::new_prefix).
    pub(crate) fn shared(members: usize) -> Option<Arc<Self>> {
        static SHARED: Mutex<Option<HashMap<usize, Weak<Cluster>>>> = Mutex::new(None);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = shared.get_or_insert_default().entry(members).or_default();
        if let Some(cluster) = shared.upgrade() {
            return Some(cluster);
        }
        let cluster = Arc::new(Self::start(members)?);
        *shared = Arc::downgrade(&cluster);
        Some(cluster)
    }

    /// Starts a cluster of these members.
    pub(crate) fn from_members(members: Vec<Member>) -> Self {
        let initial: Vec<_> =
            members.iter().map(|member| format!("{}={}", member.name, member.peer)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let cluster = Self {
            members: Mutex::new(members),
            initial: initial.join(","),
            prefixes: AtomicU64::new(0),
            folder,
        };
        let count = cluster.members().len();
        for number in 0..count {
            cluster.restart(number);
        }
        cluster
    }

    pub(crate) fn members(&self) -> MutexGuard<'_, Vec<Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a stopped member.
    pub(crate) fn restart(&self, number: usize) {
        self.members()[number].start(self.folder.path(), &self.initial);
    }

    pub(crate) fn kill(&self, number: usize) {
        self.members()[number].kill();
    }

    /// Copies the data of a stopped member under a name.
    pub(crate) fn back_up(&self, number: usize, name: &str) {
        let data = self.folder.path().join(&self.members()[number].name);
        let (from, to) = (format!("{}/.", data.display()), self.folder.path().join(name));
        run("cp", &["-a", &from, &to.display().to_string()]);
    }

    /// Replaces the data of a stopped member by a copy.
    pub(crate) fn restore(&self, number: usize, name: &str) {
        let data = self.folder.path().join(&self.members()[number].name);
        std::fs::remove_dir_all(&data).expect("its folder");
        std::fs::rename(self.folder.path().join(name), data).expect("its folder");
    }

    /// Returns the client address of a member.
    pub(crate) fn address(&self, number: usize) -> String {
        self.members()[number].client.clone()
    }

    /// Returns a unique prefix.
    pub(crate) fn new_prefix(&self) -> String {
        format!("/test-{}", self.prefixes.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns options with all members.
    pub(crate) fn options(&self) -> EtcdOptions {
        EtcdOptions::new(self.members().iter().map(|member| member.client.clone()))
    }

    /// Returns options with some of the members.
    pub(crate) fn options_of(&self, numbers: &[usize]) -> EtcdOptions {
        let members = self.members();
        EtcdOptions::new(numbers.iter().map(|&number| members[number].client.clone()))
    }

    /// Connects once the members are ready.
    pub(crate) async fn connect(&self, options: EtcdOptions) -> Etcd {
        self.ready(options.clone()).await;
        Etcd::connect(options).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the leader once all members are ready.
    pub(crate) async fn leader_when_ready(&self) -> usize {
        let count = self.members().len();
        for number in 0..count {
            self.ready(self.options_of(&[number])).await;
        }
        // During an election there is no leader for a moment.
        loop {
            if let Some(leader) = self.leader(0) {
                return leader;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the cluster responds, which takes a moment after its start.
    pub(crate) async fn ready(&self, options: EtcdOptions) {
        let patient = options.request_timeout(Duration::from_secs(40));
        if let Err(error) = Etcd::connect(patient).await {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            panic!("{error}\n{log}");
        }
    }
}
