use std::path::Path;

use super::*;
use crate::sdk::prelude::*;
use crate::system::{Command, Files, Output, WriteFile};

/// A directory with a file and a package, made in several ways of which one is correct.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "test.site", task = Site, register = false)]
struct SitePreparer {
    /// The fault to commit.
    #[hcl(required)]
    fault: String,
}

#[derive(Debug, converge_sdk::Export)]
struct Site {
    /// The fault to commit.
    #[export]
    fault: String,
    checked: usize,
}

const DIR: &str = "/srv/site";
const FILE: &str = "/srv/site/index";
const MARK: &str = "/srv/mark";

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
        status.add_difference("file", file.to_string(), "true");
        status.add_difference("package", package.exit.success().to_string(), "true");
        if !self.does("leaves a trace of a crash") {
            let mark = is_there(files, MARK).await?;
            status.add_difference("mark", mark.to_string(), "false");
        }
        if self.does("never ends") {
            status.add_difference("moon", "new", "full");
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
    let checked = super::check::<SitePreparer>(start, &[("fault", fault.into())]).await;
    let message = checked.map_or_else(|violation| violation.to_string(), |()| "keeps the laws".to_owned());
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
    let done_machine =
        || start().with_file(FILE, "hello").with(|machine| machine.put_fact("nginx", "installed"));
    check(
        done_machine,
        "nothing",
        "nothing to do: let the test begin with a machine that is not as declared",
    )
    .await;
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

/// A file that is written in a batch with others, in several ways of which one is correct.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "test.parcel", task = Parcel, batch, register = false)]
struct ParcelPreparer {
    /// The path of the file.
    #[hcl(required)]
    path: String,
    /// The fault to commit.
    #[hcl(required)]
    fault: String,
}

#[derive(Debug, converge_sdk::Export)]
struct Parcel {
    /// The path of the file.
    #[export]
    path: String,
    fault: String,
}

impl Resource for ParcelPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Parcel> {
        Ok(Parcel { path: self.path, fault: self.fault })
    }
}

impl Task for Parcel {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let is_present = is_there(cx.system().files(), &self.path).await?;
        let mut status = Status::new();
        status.add_difference(&self.path, is_present.to_string(), "true");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(self.path.as_ref(), WriteFile::new(b"sent")).await?;
        Ok(Status::new())
    }
}

impl Batch for Parcel {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        let mut results = Vec::new();
        let count = batch.len();
        for (index, parcel) in batch.iter_mut().enumerate() {
            if parcel.fault == "writes something else" {
                let result = cx.system().files().write(parcel.path.as_ref(), WriteFile::new(b"lost")).await;
                results.push(result.map(|()| Status::new()).map_err(Error::from));
            } else if parcel.fault == "forgets the last" && count > 1 && index + 1 == count {
                results.push(Ok(Status::new()));
            } else if parcel.fault != "counts wrong" {
                results.push(parcel.apply(cx).await);
            }
        }
        results
    }
}

#[tokio::test]
async fn batches_keep_the_laws_too() {
    let check = async |fault: &str, one: &str, several: &str| {
        let start = || ModelSystem::new().with_dir("/srv");
        let parcel = |path: &str| [("path", path.into()), ("fault", Value::from(fault))];
        let verdict = |checked: Result<(), LawViolation>| {
            checked.map_or_else(|violation| violation.to_string(), |()| "keeps the laws".to_owned())
        };
        let (a, b) = (parcel("/srv/a"), parcel("/srv/b"));
        assert_eq!(verdict(super::check::<ParcelPreparer>(start, &a).await), one, "{fault}");
        assert_eq!(verdict(check_batch::<ParcelPreparer>(start, &[&a, &b]).await), several, "{fault}");
    };
    check("nothing", "keeps the laws", "keeps the laws").await;
    check("forgets the last", "keeps the laws", "changes are left after the apply: /srv/b").await;
    check("counts wrong", "a batch of 1 gave 0 results", "a batch of 2 gave 0 results").await;
    check(
        "writes something else",
        "a batch ends in another state than its members one by one: /srv/a",
        "a batch ends in another state than its members one by one: /srv/a, /srv/b",
    )
    .await;
    let fault = [("fault", Value::from("nothing"))];
    let violation = check_batch::<SitePreparer>(start, &[&fault]).await.expect_err("it has no batches");
    assert_eq!(
        violation.to_string(),
        "test.site is not applied in batches: write `batch` in its `#[preparer(..)]`"
    );
}
