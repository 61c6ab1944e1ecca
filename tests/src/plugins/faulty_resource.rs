//! A resource that fails in different ways, for tests of plugins.

use std::io::Write as _;

use converge_core::prelude::*;
use converge_core::system::WriteFile;

/// Fails in a chosen way.
#[derive(Debug, Preparer)]
#[preparer(name = "fixture.trouble", task = TroubleTask, register = false)]
pub struct Trouble {
    /// The failure: `write-in-check`, `hang-in-check`, `hang-in-apply`, `panic`, `exit`, `print` or `fail`.
    #[hcl(required)]
    how: String,
    /// A file that the resource may write.
    #[hcl(default = "/tmp/trouble")]
    path: String,
}

impl Resource for Trouble {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<TroubleTask> {
        Ok(TroubleTask { how: self.how, path: self.path })
    }
}

/// The prepared failure.
#[derive(Debug, Export)]
pub struct TroubleTask {
    how: String,
    path: String,
}

impl Task for TroubleTask {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        match self.how.as_str() {
            "write-in-check" => {
                // The resource ignores the result of the forbidden write.
                drop(cx.system().files().write(self.path.as_ref(), WriteFile::new(b"oh")).await);
            }
            "hang-in-check" => std::future::pending().await,
            "panic" => return Err(Error::msg(explode())),
            "exit" => std::process::exit(3),
            "print" => drop(writeln!(std::io::stdout(), "this is not a message")),
            "fail" => return Err(Error::from("it is wrong").context("looking at it")),
            _ => {
                let content = cx.system().files().read(self.path.as_ref()).await?;
                let text =
                    content.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default();
                status.add_difference("text", text, "done");
                status.raise_level_for_diffs();
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(self.path.as_ref(), WriteFile::new(b"begun")).await?;
        match self.how.as_str() {
            "hang-in-apply" => std::future::pending().await,
            "exit-in-apply" => std::process::exit(4),
            _ => {}
        }
        cx.system().files().write(self.path.as_ref(), WriteFile::new(b"done")).await?;
        Ok(Status::new())
    }
}

fn explode() -> String {
    std::panic::panic_any("the fixture panics")
}
