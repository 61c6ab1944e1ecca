//! A resource that calls every method of a system and records the answers.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use converge_core::prelude::*;
use converge_core::system::{
    Address, Command, CommitFile, Follow, HttpRequest, Identity, Inherit, KeepOutput, OutputWatch, Ownership,
    System, Tls, WriteFile,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Calls every method of a system, both reads and changes.
#[derive(Debug, Preparer)]
#[preparer(name = "fixture.tour", task = TourTask, register = false)]
pub struct Tour {
    /// An existing folder to work in.
    #[hcl(required)]
    folder: String,
}

impl Resource for Tour {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<TourTask> {
        Ok(TourTask { folder: self.folder, seen: Vec::new() })
    }
}

/// The recorded answers.
#[derive(Debug, Export)]
pub struct TourTask {
    folder: String,
    /// One line for each answer.
    #[export]
    seen: Vec<String>,
}

impl TourTask {
    fn see(&mut self, label: &str, answer: impl std::fmt::Debug) {
        self.seen.push(format!("{label}: {answer:?}"));
    }

    async fn look(&mut self, system: &dyn System) -> Result<()> {
        let files = system.files();
        let folder = self.folder.clone();
        let path_at = |name: &str| format!("{folder}/{name}");
        self.see("platform", system.platform());
        self.see("env", (system.env("TOUR"), system.env("NOTHING")));
        self.see("now", system.clock().now());
        self.see("metadata", files.metadata(path_at("file").as_ref(), Follow::Links).await);
        self.see("no metadata", files.metadata(path_at("none").as_ref(), Follow::Never).await);
        self.see("read", files.read(path_at("file").as_ref()).await);
        self.see(
            "read large",
            files.read(path_at("large").as_ref()).await?.map(|file| (file.bytes.len(), file.metadata.len)),
        );
        self.see("head", files.read_head(path_at("file").as_ref(), 2).await);
        self.see("read none", files.read(path_at("none").as_ref()).await);
        self.see("read folder", files.read(folder.as_ref()).await);
        let open = files.open(path_at("file").as_ref()).await?.ok_or("there is a file")?;
        let mut buffer = [0; 3];
        let read = open.read_at(1, &mut buffer).await;
        self.see("read at", (read, buffer, open.metadata()));
        self.see("entries", files.read_dir(folder.as_ref()).await);
        self.see("link", files.read_link(path_at("link").as_ref()).await);
        self.see("no link", files.read_link(path_at("file").as_ref()).await);
        self.see("inherited", files.inherited(path_at("file").as_ref(), Inherit::FromTrusted).await);
        self.see("may change", files.may_change(path_at("file").as_ref(), Follow::Links).await);
        self.see("may not change", files.may_change(path_at("none").as_ref(), Follow::Links).await);
        let open = files.open_dir(folder.as_ref()).await?.ok_or("there is a folder")?;
        self.see("directory", (open.path(), open.own_metadata().await, open.entries().await));
        self.see("in it", open.metadata("file".as_ref()).await);
        self.see("not in it", open.open_dir("none".as_ref()).await.map(|open| open.is_some()));
        let subdirectory = open.open_below("sub".as_ref()).await?.ok_or("there is one below")?;
        self.see("below", (subdirectory.path(), subdirectory.entries().await));
        self.see("opened", open.open("file".as_ref()).await?.map(|file| file.metadata().clone()));
        self.see("its link", open.read_link("link".as_ref()).await);
        self.see("may it change", open.may_change("file".as_ref()).await);
        let users = system.users();
        self.see("user", users.user_by_name("jo").await);
        self.see("uid", users.user_by_uid(1000).await);
        self.see("group", users.group_by_name("staff").await);
        self.see("gid", users.group_by_gid(50).await);
        self.see("members", users.users_in_primary_group(50).await);
        self.see("nobody", users.user_by_name("none").await);
        let mut scratch = files.scratch().await?;
        scratch.write(b"scratched").await?;
        let scratch = scratch.read().await?;
        let read = scratch.read_at(0, &mut buffer).await;
        self.see("scratch", (read, buffer));
        self.programs(system).await?;
        self.network(system).await
    }

    async fn programs(&mut self, system: &dyn System) -> Result<()> {
        let printed = Arc::new(Mutex::new(Vec::new()));
        let prints = Arc::clone(&printed);
        let mut command = Command::new("ask").arg("me").arg("it is \u{e9}");
        command.keep = KeepOutput::Ends;
        command.timeout = Some(Duration::from_millis(1500));
        command.env.insert("A".to_owned(), "b".to_owned());
        command.watch = Some(OutputWatch::new(move |stream, piece| {
            prints.lock().unwrap_or_else(PoisonError::into_inner).push((stream, piece.to_vec()));
        }));
        self.see("program", system.processes().run(command).await);
        let printed = std::mem::take(&mut *printed.lock().unwrap_or_else(PoisonError::into_inner));
        self.see("printed", printed);
        self.see("no program", system.processes().run(Command::new("nothing")).await);
        Ok(())
    }

    async fn network(&mut self, system: &dyn System) -> Result<()> {
        let network = system.network();
        let url = "http://example.com/page".parse().map_err(Error::other)?;
        let mut request = HttpRequest::new(url).header("accept", "text/plain");
        let identity =
            Identity { certificate: "a certificate".to_owned(), key: Secret::new("a key".to_owned()) };
        request.tls =
            Tls { authorities: Some("an authority".to_owned()), identity: Some(identity), insecure: true };
        match network.request(request).await {
            Ok(mut response) => {
                self.see("response", &response);
                self.see("body", (response.body.chunk().await, response.body.chunk().await));
            }
            Err(error) => self.see("no response", error),
        }
        let url = "http://nowhere.invalid/".parse().map_err(Error::other)?;
        self.see("no host", network.request(HttpRequest::new(url)).await);
        self.see("refused", network.connect(&Address::tcp("127.0.0.1", 9)).await.map(drop));
        match network.connect(&Address::tcp("echo", 7)).await {
            Ok(mut stream) => {
                stream.write_all(b"ping").await?;
                stream.shutdown().await?;
                let mut bytes_read = Vec::new();
                stream.read_to_end(&mut bytes_read).await?;
                self.see("heard", bytes_read);
            }
            Err(error) => self.see("no echo", error),
        }
        Ok(())
    }

    async fn change(&mut self, system: &dyn System) -> Result<()> {
        let files = system.files();
        let folder = self.folder.clone();
        let path_at = |name: &str| format!("{folder}/{name}");
        let path = |name: &str| std::path::PathBuf::from(path_at(name));
        files.write(&path("written"), WriteFile::new(b"\x00\xff")).await?;
        files.write(&path("large-written"), WriteFile::new(&vec![b'x'; (1 << 20) + 10])).await?;
        files.create_dir(&path("made"), 0o750).await?;
        files.set_mode(&path("written"), 0o640).await?;
        let ownership = Ownership { uid: Some(1000), gid: None };
        files.set_ownership(&path("written"), ownership, Follow::Never).await?;
        files.set_extended_attribute(&path("written"), "user.tour", b"\x00\xff").await?;
        files.set_extended_attribute(&path("written"), "user.gone", b"").await?;
        files.remove_extended_attribute(&path("written"), "user.gone").await?;
        self.see("attributes", files.extended_attributes(&path("written"), Follow::Links).await);
        files.symlink(Path::new("written"), &path("made/link")).await?;
        files.rename(&path("written"), &path("renamed")).await?;
        let mut staged = files.stage(&path("staged")).await?;
        staged.write(b"one, ").await?;
        staged.write(b"two").await?;
        let commit =
            CommitFile { mode: Some(0o600), modified: Some(SystemTime::UNIX_EPOCH), ..CommitFile::default() };
        staged.commit(commit).await?;
        drop(files.stage(&path("dropped")).await?);
        files.sync_dir(&path("made")).await?;
        files.flush(&[path("made").as_path()]).await?;
        let open = files.open_dir(&path("made")).await?.ok_or("it was made")?;
        open.create_dir("inner".as_ref(), 0o700).await?;
        open.symlink(Path::new("inner"), "to-inner".as_ref()).await?;
        let mut staged = open.stage("file".as_ref()).await?;
        staged.write(b"in it").await?;
        staged.commit(CommitFile::default()).await?;
        open.set_mode("file".as_ref(), 0o604).await?;
        open.set_ownership("file".as_ref(), ownership).await?;
        self.see("no attributes", open.extended_attributes("file".as_ref()).await);
        open.rename("file".as_ref(), "moved".as_ref()).await?;
        files.hard_link(&path("made/moved"), &path("made/name")).await?;
        open.hard_link(&path("made/name"), "again".as_ref()).await?;
        let inode = files.inode(&path("made/moved"), Follow::Never).await?;
        self.see("one file", inode.is_some() && inode == open.inode("again".as_ref()).await?);
        open.sync().await?;
        open.remove_file("to-inner".as_ref()).await?;
        open.remove_dir("inner".as_ref()).await?;
        self.see("made", open.entries().await);
        self.see("it is there", files.create_dir(&path("made"), 0o755).await);
        self.see("it is not", files.remove_file(&path("none")).await);
        self.see("it is full", files.remove_dir(&path("made")).await);
        files.remove_file(&path("renamed")).await?;
        self.see("changed", system.processes().run(Command::new("change").arg("it")).await);
        Ok(())
    }
}

impl Task for TourTask {
    async fn check(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status> {
        self.seen.clear();
        self.see("run", (cx.run(), cx.mode(), cx.started(), cx.refreshing(), renderer.id()));
        self.see("pending", cx.pending());
        self.see("rendered", renderer.render("tour", "{{1}}").map_err(|error| error.to_string()));
        self.look(cx.system()).await?;
        cx.redactor().hide("found-secret");
        let mut status = Status::new();
        let metadata =
            cx.system().files().metadata(format!("{}/made", self.folder).as_ref(), Follow::Never).await?;
        let state = |is: bool| if is { "present" } else { "absent" };
        status.add_difference("made", state(metadata.is_some()), "present");
        status.raise_level_for_diffs();
        status.add_warning("a found-secret is in this");
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.seen.clear();
        let progress = cx.progress();
        progress.bytes(1, Some(2));
        progress.run(Command::new("ask").arg("progress")).await?;
        self.change(cx.system()).await?;
        Ok(Status::new())
    }
}
