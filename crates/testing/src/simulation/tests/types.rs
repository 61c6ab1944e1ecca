//! Types that use every form of separation in the engine: locks, batches and refreshes.

use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use crate::system::{Command, ModelSystem, Output, WriteFile};

async fn read(cx: &Context, path: &str) -> Result<Option<String>> {
    let file = cx.system().files().read(path.as_ref()).await?;
    Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()))
}

async fn write(cx: &Context, path: &str, text: &str) -> Result<Status> {
    cx.system().files().write(path.as_ref(), WriteFile::new(text.as_bytes())).await?;
    Ok(Status::new())
}

fn compare(name: &str, is: String, target: String) -> Status {
    let mut status = Status::new();
    status.add_difference(name, is, target);
    status.raise_level_for_diffs();
    status
}

/// A file with a text.
#[derive(Debug, converge_sdk::Preparer, converge_sdk::Export)]
#[preparer(name = "note", task = Self, register = false)]
pub(super) struct Note {
    /// The path.
    path: String,
    /// The text.
    #[export]
    text: String,
}

impl Task for Note {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let is = read(cx, &self.path).await?.unwrap_or_default();
        Ok(compare("text", is, self.text.clone()))
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        write(cx, &self.path, &self.text).await
    }
}

/// A line of a list, which is read, changed and written under a lock.
#[derive(Debug, converge_sdk::Preparer, converge_sdk::Export)]
#[preparer(name = "entry", task = Self, lock = "list", register = false)]
pub(super) struct Entry {
    /// The line.
    line: String,
}

const LIST: &str = "/etc/list";

impl Entry {
    async fn list(cx: &Context) -> Result<Vec<String>> {
        let list = read(cx, LIST).await?.unwrap_or_default();
        Ok(list.lines().map(str::to_owned).collect())
    }
}

impl Task for Entry {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let is_present = Self::list(cx).await?.contains(&self.line);
        Ok(compare("line", is_present.to_string(), true.to_string()))
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let mut list = Self::list(cx).await?;
        list.push(self.line.clone());
        list.sort();
        list.dedup();
        write(cx, LIST, &list.join("\n")).await
    }
}

/// A package that is installed in a batch with others.
#[derive(Debug, converge_sdk::Preparer, converge_sdk::Export)]
#[preparer(name = "pack", task = Self, lock = "apt", batch, register = false)]
pub(super) struct Pack {
    /// The name of the package.
    name: String,
}

async fn install(cx: &Context, names: &[&str]) -> Result<Status> {
    let command = names.iter().fold(Command::new("apt-get"), |command, name| command.arg(*name));
    let output = cx.system().processes().run(command).await?;
    if output.exit.success() { Ok(Status::new()) } else { Err(Error::msg("apt-get failed")) }
}

impl Task for Pack {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let output = cx.system().processes().run(Command::new("dpkg").arg(&self.name)).await?;
        Ok(compare("installed", output.exit.success().to_string(), true.to_string()))
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        install(cx, &[&self.name]).await
    }
}

impl Batch for Pack {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        let names: Vec<&str> = batch.iter().map(|pack| pack.name.as_str()).collect();
        if install(cx, &names).await.is_ok() {
            return batch.iter().map(|_| Ok(Status::new())).collect();
        }
        let mut results = Vec::new();
        for pack in batch {
            results.push(pack.apply(cx).await);
        }
        results
    }
}

/// A service that reads files only when it starts or is refreshed.
///
/// A check does not see whether the service has read the current files, so only a refresh updates it.
#[derive(Debug, converge_sdk::Preparer, converge_sdk::Export)]
#[preparer(name = "daemon", task = Self, refresh, register = false)]
pub(super) struct Daemon {
    /// The name of the service.
    name: String,
    /// The path of the file that the service reads.
    reads: Vec<String>,
}

impl Daemon {
    async fn load(&self, cx: &Context) -> Result<Status> {
        let mut read_by_now = Vec::new();
        for path in &self.reads {
            read_by_now.push(read(cx, path).await?.unwrap_or_default());
        }
        write(cx, &format!("/run/{}", self.name), &read_by_now.join("\n")).await
    }
}

impl Task for Daemon {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> Result<Status> {
        let runs = read(cx, &format!("/run/{}", self.name)).await?.is_some();
        Ok(compare("runs", runs.to_string(), true.to_string()))
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.load(cx).await
    }
}

impl Refresh for Daemon {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        self.load(cx).await
    }
}

pub(super) fn registry() -> Registry {
    let registry = Registry::new().with::<Note>().and_then(Registry::with::<Entry>);
    registry.and_then(Registry::with::<Pack>).and_then(Registry::with::<Daemon>).unwrap()
}

/// Returns a machine on which daemons run that have read the earlier content of files.
pub(super) fn machine() -> ModelSystem {
    let model = ModelSystem::new().with_dir("/etc").with_dir("/srv").with_dir("/run");
    let model = (0..40).fold(model, |model, at| model.with_file(format!("/run/old{at}"), "old"));
    model.with_program(|command, machine| match command.program.as_str() {
        "dpkg" if machine.fact(command.args.last()?).is_some() => Some(Output::success("")),
        "dpkg" => Some(Output::failure(1, "")),
        "apt-get" => {
            command.args.iter().for_each(|name| machine.put_fact(name, "installed"));
            Some(Output::success(""))
        }
        _ => None,
    })
}
