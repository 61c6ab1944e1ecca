//! Tests that work on large files blocks nothing and leaves nothing behind when cancelled.
//!
//! Each runtime here has one thread.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test, which looks at the real machine"
)]

use std::fs;
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use converge_core::system::{CommitFile, Files, LocalSystem, ReadAt, System, WriteFile};

const MIB: usize = 1 << 20;

struct Place {
    dir: tempfile::TempDir,
    local: LocalSystem,
}

impl Place {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), local: LocalSystem::new() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn files(&self) -> &dyn Files {
        self.local.files()
    }

    /// Creates a sparse file of zeros, which takes no space.
    fn sparse(&self, name: &str, len: u64) -> PathBuf {
        fs::File::create(self.at(name)).unwrap().set_len(len).unwrap();
        self.at(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Runs work beside a task that counts its turns, and returns the number of turns meanwhile.
async fn turns_of_others<T>(work: impl Future<Output = T>) -> (T, u64) {
    let count = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&count);
    let others = tokio::spawn(async move {
        loop {
            counter.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let result = work.await;
    others.abort();
    (result, count.load(Ordering::Relaxed))
}

/// Starts work and drops it after a few turns, in which it cannot end.
async fn give_up_after<T>(limit: usize, work: impl Future<Output = T>) {
    let mut work = pin!(work);
    let mut left = limit;
    std::future::poll_fn(|cx| {
        assert!(work.as_mut().poll(cx).is_pending(), "it has not ended with {left} turns left");
        left -= 1;
        if left == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

async fn read_all(file: &dyn ReadAt, piece: usize) -> u64 {
    let mut buffer = vec![0; piece];
    let mut offset = 0;
    loop {
        match file.read_at(offset, &mut buffer).await.unwrap() {
            0 => return offset,
            count => offset += count as u64,
        }
    }
}

#[tokio::test]
async fn others_have_their_turns_while_a_large_file_is_worked_on() {
    let place = Place::new();
    let (path, files) = (place.at("file"), place.files());
    let content = vec![b'x'; 200 * MIB];
    // Both a new file and an existing one are written.
    for content in [&content[..], &content[1..]] {
        let (write_result, turn_count) = turns_of_others(files.write(&path, WriteFile::new(content))).await;
        write_result.unwrap();
        assert!(turn_count > 100, "others had {turn_count} turns, less than one for two pieces");
        let (read, turn_count) = turns_of_others(files.read(&path)).await;
        assert!(read.unwrap().unwrap().bytes == content, "all of it is read");
        assert!(turn_count > 0);
    }
    let (staged, turn_count) = turns_of_others(async {
        let mut staged = files.stage(&path).await?;
        for piece in content.chunks(64 * 1024) {
            staged.write(piece).await?;
        }
        staged.commit(CommitFile::default()).await
    })
    .await;
    staged.unwrap();
    assert!(turn_count > 100, "{turn_count}");
    let open = files.open(&path).await.unwrap().unwrap();
    let (count, turn_count) = turns_of_others(read_all(&*open, 64 * 1024)).await;
    assert_eq!(count, content.len() as u64);
    assert!(turn_count > 100, "{turn_count}");
    files.remove_file(&path).await.unwrap();
    assert!(place.names().is_empty());
}

#[tokio::test]
async fn what_is_small_is_done_at_once() {
    let place = Place::new();
    let path = place.at("file");
    fs::write(&path, vec![b'x'; 64 * 1024]).unwrap();
    let (read, turn_count) = turns_of_others(place.files().read(&path)).await;
    assert_eq!(read.unwrap().unwrap().bytes.len(), 64 * 1024);
    assert_eq!(turn_count, 0, "nobody else had a turn");
}

#[tokio::test]
async fn a_deadline_passes_while_a_large_file_is_read() {
    let place = Place::new();
    let path = place.sparse("file", 2 << 30);
    let files = place.files();
    // A deadline is checked between two turns, and the first turn does not read the whole file.
    give_up_after(1, files.read(&path)).await;
    let open = files.open(&path).await.unwrap().unwrap();
    give_up_after(1, read_all(&*open, 64 * 1024)).await;
}

#[tokio::test]
async fn who_gives_up_writing_leaves_nothing() {
    let content = vec![b'x'; 64 * MIB];
    for existing in [None, Some("old")] {
        let place = Place::new();
        let path = place.at("file");
        if let Some(existing) = existing {
            fs::write(&path, existing).unwrap();
        }
        let names = place.names();
        for limit in [1, 2, 3] {
            give_up_after(limit, place.files().write(&path, WriteFile::new(&content))).await;
            assert_eq!(place.names(), names);
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), existing);
        }
        // Dropped work is not committed by mistake.
        let mut staged = place.files().stage(&path).await.unwrap();
        give_up_after(2, staged.write(&content)).await;
        let refused = staged.write(b"more").await.unwrap_err().to_string();
        assert_eq!(refused, format!("cannot write {}: a part of it was not written", path.display()));
        let refused = staged.commit(CommitFile::default()).await.unwrap_err().to_string();
        assert_eq!(refused, format!("cannot write {}: a part of it was not written", path.display()));
        assert_eq!(place.names(), names);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), existing);
    }
}

#[test]
fn who_waits_on_a_thread_of_the_runtime_is_served_by_others() {
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let place = Place::new();
    let path = place.sparse("file", 4 * MIB as u64);
    let read = runtime.block_on(async {
        let file = place.files().open(&path).await.unwrap().unwrap();
        let runtime = tokio::runtime::Handle::current();
        // The only blocking thread of the runtime waits for the file, so the read must not need another one.
        tokio::task::spawn_blocking(move || runtime.block_on(read_all(&*file, MIB))).await.unwrap()
    });
    assert_eq!(read, 4 * MIB as u64);
}

#[tokio::test]
async fn a_large_directory_is_listed_whole() {
    let place = Place::new();
    for index in 0..3000 {
        fs::write(place.at(&format!("{index:04}")), "").unwrap();
    }
    let listed = place.files().read_dir(place.dir.path()).await.unwrap();
    let listed: Vec<_> = listed.into_iter().map(|entry| entry.path).collect();
    let expect: Vec<_> = (0..3000).map(|index| place.at(&format!("{index:04}"))).collect();
    assert_eq!(listed, expect);
}
