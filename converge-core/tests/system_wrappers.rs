//! Tests that a wrapped system overrides some methods and delegates the others.
#![cfg(feature = "testing")]

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use converge_core::async_trait;
use converge_core::system::{
    Clock, Command, CommitFile, Directory, Effect, FileContent, Files, ModelSystem, Network, Output,
    Processes, StagedFile, System, SystemError, SystemErrorKind, Users, WrapClock, WrapDirectory, WrapFiles,
    WrapNetwork, WrapProcesses, WrapSystem, WrapUsers, WriteFile,
};

/// A system with a wrapper for each part and an overridden method in some of them.
#[derive(Debug)]
struct Wrapped(Arc<ModelSystem>);

impl WrapSystem for Wrapped {
    fn wrapped_system(&self) -> &dyn System {
        &*self.0
    }

    fn files(&self) -> &dyn Files {
        self
    }

    fn users(&self) -> &dyn Users {
        self
    }

    fn processes(&self) -> &dyn Processes {
        self
    }

    fn network(&self) -> &dyn Network {
        self
    }

    fn clock(&self) -> &dyn Clock {
        self
    }
}

/// Reads only the first byte of files, and opens directories as read-only.
#[async_trait]
impl WrapFiles for Wrapped {
    fn wrapped_files(&self) -> &dyn Files {
        self.0.files()
    }

    async fn read_head(&self, path: &Path, limit: u64) -> Result<Option<FileContent>, SystemError> {
        self.wrapped_files().read_head(path, limit.min(1)).await
    }

    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let opened = self.wrapped_files().open_dir(path).await?;
        Ok(opened.map(|opened| Box::new(NoWriting(opened)) as Box<dyn Directory>))
    }
}

struct NoWriting(Box<dyn Directory>);

#[async_trait]
impl WrapDirectory for NoWriting {
    fn wrapped_directory(&self) -> &dyn Directory {
        &*self.0
    }

    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError> {
        Err(SystemError::file("write", self.0.path().join(name), SystemErrorKind::PermissionDenied))
    }
}

impl WrapUsers for Wrapped {
    fn wrapped_users(&self) -> &dyn Users {
        self.0.users()
    }
}

impl WrapProcesses for Wrapped {
    fn wrapped_processes(&self) -> &dyn Processes {
        self.0.processes()
    }
}

impl WrapNetwork for Wrapped {
    fn wrapped_network(&self) -> &dyn Network {
        self.0.network()
    }
}

/// Runs a day late.
impl WrapClock for Wrapped {
    fn wrapped_clock(&self) -> &dyn Clock {
        self.0.clock()
    }

    fn now(&self) -> SystemTime {
        self.wrapped_clock().now() + Duration::from_hours(24)
    }
}

fn wrapped() -> (Arc<ModelSystem>, Arc<dyn System>) {
    let model = ModelSystem::new()
        .with_file("/dir/file", "text")
        .with_env("NAME", "value")
        .with_query(["uname"], Output::success("Linux"));
    let model = Arc::new(model);
    (Arc::clone(&model), Arc::new(Wrapped(model)))
}

#[tokio::test]
async fn what_is_written_is_what_differs() {
    let (model, system) = wrapped();
    let file = Path::new("/dir/file");
    // Reading a whole file uses the overridden method.
    let read = system.files().read(file).await.expect("it can be read").expect("it is there");
    assert_eq!(read.bytes, b"t");
    let dir = system.files().open_dir("/dir".as_ref()).await.expect("it can be opened").expect("it is there");
    let refused = dir.stage("new".as_ref()).await.err().map(|error| error.to_string());
    assert_eq!(refused.as_deref(), Some("cannot write /dir/new: permission denied"));
    assert_eq!(system.clock().now(), model.clock().now() + Duration::from_hours(24));
}

#[tokio::test]
async fn the_rest_is_what_is_wrapped() {
    let (model, system) = wrapped();
    assert_eq!(system.platform(), model.platform());
    assert_eq!(system.env("NAME").as_deref(), Some("value"));
    assert_eq!(system.users().user_by_uid(0).await, model.users().user_by_uid(0).await);
    let uname = system.processes().run(Command::new("uname")).await.expect("it runs");
    assert_eq!(uname.stdout, b"Linux");
    let dir = system.files().open_dir("/dir".as_ref()).await.expect("it can be opened").expect("it is there");
    assert_eq!(dir.path(), Path::new("/dir"));
    dir.remove_file("file".as_ref()).await.expect("it can be removed");
    system.files().write("/new".as_ref(), WriteFile::new(b"x")).await.expect("it can be written");
    let staged = system.files().stage("/other".as_ref()).await.expect("it can be begun");
    let committed = system.files().commit_all(vec![(staged, CommitFile::default())]).await;
    assert_eq!(committed, [Ok(())]);
    let write_effect = |path: &str| Effect::WriteFile { path: path.into() };
    let removed = Effect::RemoveFile { path: "/dir/file".into() };
    assert_eq!(model.effects(), [removed, write_effect("/new"), write_effect("/other")]);
}
