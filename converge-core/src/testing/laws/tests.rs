use std::path::Path;

use async_trait::async_trait;

use super::*;
use crate::prelude::*;
use crate::system::{Command, Files, Output, WriteFile};

/// A directory with a file and a package, made in ways of which one is right.
#[derive(Debug, converge_derive::Preparer)]
#[preparer(name = "test.site", task = Site, register = false)]
struct SitePreparer {
    /// What to do wrong.
    #[hcl(required)]
    fault: String,
}

#[derive(Debug, converge_derive::Export)]
struct Site {
    /// What to do wrong.
    #[export]
    fault: String,
    checked: usize,
}

const DIR: &str = "/srv/site";
const FILE: &str = "/srv/site/index";
const MARK: &str = "/srv/mark";

#[async_trait]
impl Resource for SitePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Site> {
        Ok(Site { fault: self.fault, checked: 0 })
    }
}

impl Site {
    fn does(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

async fn is_there(files: &dyn Files, path: &str) -> Result<bool> {
    Ok(files.metadata(Path::new(path), crate::system::Follow::Links).await?.is_some())
}

#[async_trait]
impl Task for Site {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let files = cx.system().files();
        if self.does("check writes") {
            files.write(MARK.as_ref(), WriteFile::new(b"")).await?;
        }
        if self.does("check fails") {
            return Err(Error::msg("no"));
        }
        let package = cx.system().processes().run(Command::new("dpkg").arg("nginx")).await?;
        let mut status = Status::new();
        let file = files.read(FILE.as_ref()).await?.is_some();
        status.add_difference("file", file.to_string(), "true", "");
        status.add_difference("package", package.exit.success().to_string(), "true", "");
        if !self.does("leaves a trace of a crash") {
            let mark = is_there(files, MARK).await?;
            status.add_difference("mark", mark.to_string(), "false", "");
        }
        if self.does("never ends") {
            status.add_difference("moon", "new", "full", "");
        }
        if self.does("writes every time") && self.checked == 0 {
            status.raise_level(StatusLevel::WillChange);
        }
        self.checked += 1;
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        if !is_there(files, DIR).await? || self.does("makes the directory again") {
            files.create_dir(DIR.as_ref(), 0o755).await?;
        }
        if self.does("leaves a trace of a crash") && is_there(files, MARK).await? {
            files.write(FILE.as_ref(), WriteFile::new(b"again")).await?;
            return Ok(Status::new());
        }
        files.write(MARK.as_ref(), WriteFile::new(b"")).await?;
        cx.system().clock().sleep(std::time::Duration::from_secs(1)).await;
        let install = cx.system().processes().run(Command::new("apt-get").arg("nginx")).await?;
        if !install.exit.success() {
            return Err(Error::msg("not installed"));
        }
        files.write(FILE.as_ref(), WriteFile::new(b"hello")).await?;
        files.remove_file(MARK.as_ref()).await?;
        Ok(Status::new())
    }
}

fn start() -> ModelSystem {
    ModelSystem::new().with_dir("/srv").with_program(|command, machine| {
        let package = command.args.last()?;
        match command.program.as_str() {
            "dpkg" if machine.fact(package).is_some() => Some(Output::success("")),
            "dpkg" => Some(Output::failure(1, "")),
            "apt-get" => {
                machine.put_fact(package, "installed");
                Some(Output::success(""))
            }
            _ => None,
        }
    })
}

async fn check(start: impl Fn() -> ModelSystem, fault: &str, expect: &str) {
    let broken = super::check::<SitePreparer>(start, &[("fault", fault.into())]).await;
    let message = broken.map_or_else(|broken| broken.to_string(), |()| "keeps the laws".to_owned());
    assert_eq!(message, expect, "{fault}");
}

#[tokio::test]
async fn laws_find_what_is_wrong() {
    for (fault, expect) in [
        ("nothing", "keeps the laws"),
        ("check writes", "a check changed the machine: [WriteFile { path: \"/srv/mark\" }]"),
        ("check fails", "check failed: no"),
        ("never ends", "changes are left after the apply: moon"),
        (
            "writes every time",
            "a second run changed the machine again: [WriteFile { path: \"/srv/mark\" }, WriteFile { path: \
             \"/srv/site/index\" }, RemoveFile { path: \"/srv/mark\" }]",
        ),
        (
            "makes the directory again",
            "apply failed after a crash that followed 1 effect: cannot create the directory /srv/site: it \
             exists already",
        ),
        (
            "leaves a trace of a crash",
            "changes are left after the apply after a crash that followed 2 effects: package",
        ),
    ] {
        check(start, fault, expect).await;
    }
}

#[tokio::test]
async fn a_test_that_tests_nothing_is_found() {
    let done = || start().with_file(FILE, "hello").with(|machine| machine.put_fact("nginx", "installed"));
    check(done, "nothing", "nothing to do: let the test begin with a machine that is not as declared").await;
}

#[tokio::test]
async fn another_state_after_a_crash_is_found() {
    let installed = || start().with(|machine| machine.put_fact("nginx", "installed"));
    check(
        installed,
        "leaves a trace of a crash",
        "the run after a crash that followed 2 effects ends in another state: /srv/mark, /srv/site/index",
    )
    .await;
}

#[tokio::test]
async fn values_are_rendered_and_checked() {
    let model = Arc::new(start());
    let (cx, renderer) = (context(&model), FakeRenderer::new());
    let error = prepare::<SitePreparer>([("fautl", "x".into())], &cx, &renderer).await.expect_err("a typo");
    assert_eq!(error.to_string(), "fautl: unknown field `fautl`; fault: `fault` is required");
}
