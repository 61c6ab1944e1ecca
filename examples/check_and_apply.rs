//! Lesson 3: check and apply.
//!
//! `script` is a resource of two shell commands: one checks whether something is to be done, the other does
//! it. A plan runs only the first command. An apply runs the first command, the second one if needed, and the
//! first one again. A difference that remains is an error, because the resource did not do what it said.
//!
//! It runs on this machine, in a temporary folder.
//!
//! Run it with `cargo run --example check_and_apply`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Command, Exit, Output};

/// Runs a shell command if another one reports that it is needed.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "script", task = Self, reads = "anything", changes = "anything")]
pub struct Script {
    /// The command that checks. It changes nothing and exits with 0 if nothing is to be done.
    #[hcl(required, nonempty)]
    #[export]
    check: String,
    /// The command that makes the change. It exits with 0 on success.
    #[hcl(required, nonempty)]
    #[export]
    apply: String,
    /// The folder in which both commands run.
    #[hcl(required, nonempty)]
    #[export]
    dir: PathBuf,
}

impl Script {
    async fn run(&self, cx: &Context, script: &str) -> Result<Output> {
        let mut shell = Command::new("/bin/sh").args(["-c", script]);
        shell.dir = Some(self.dir.clone());
        Ok(cx.system().processes().run(shell).await?)
    }
}

impl Task for Script {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let output = self.run(cx, &self.check).await?;
        let mut status = Status::new();
        match output.exit {
            Exit::Code(code) => status.add_difference("check", format!("ends with {code}"), "ends with 0"),
            // A command that was killed has reported nothing about the machine.
            Exit::Signal(_) | Exit::TimedOut => return Err(Error::msg("the check was killed")),
        }
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let output = self.run(cx, &self.apply).await?;
        if output.exit.success() {
            return Ok(Status::new());
        }
        Err(Error::msg(format!("apply failed: {}", String::from_utf8_lossy(&output.stderr).trim_end())))
    }
}

/// Returns a module with one `script`, whose second command is `apply`.
fn module(apply: &str) -> String {
    format!(
        r#"
param "dir" {{}}

script "ready" {{
  dir   = "{{{{param `dir`}}}}"
  check = "echo checked >> log; grep -qx ready state"
  apply = "{apply}"
}}
"#
    )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path().display().to_string();
    let registry = Registry::new().with::<Script>()?;
    let loader = Loader::new(&registry).with_param("dir", dir);
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let log = async || {
        let log = LocalSystem::new().files().read(&folder.path().join("log")).await?;
        Ok::<_, Error>(String::from_utf8(log.map(|file| file.bytes).unwrap_or_default())?)
    };

    let graph =
        loader.load_text("ready.hcl", module("echo applied >> log; echo ready > state")).into_graph()?;
    let plan = engine.plan(&graph).await?;
    println!("a plan: {}", log().await?.lines().collect::<Vec<_>>().join(", "));
    let first = engine.apply(&graph).await?;
    println!("and an apply: {}", log().await?.lines().collect::<Vec<_>>().join(", "));
    let second = engine.apply(&graph).await?;
    println!("and another: {}", log().await?.lines().collect::<Vec<_>>().join(", "));

    // This command reports success without doing its work.
    let lazy = loader.load_text("lazy.hcl", module("rm -f state")).into_graph()?;
    LocalSystem::new().files().remove_file(&folder.path().join("state")).await?;
    let mut failures = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind {
            failures.extend(report.failure.map(|failure| failure.message));
        }
    };
    engine.apply(&lazy).sink(&mut sink).await?;
    println!("what does not do its work: {}", failures.join("\n"));

    let right = (plan.will_change, first.changed, second.unchanged, failures.len()) == (1, 1, 1, 1);
    if right { Ok(()) } else { Err(format!("{plan:?}\n{first:?}\n{second:?}\n{failures:?}").into()) }
}
