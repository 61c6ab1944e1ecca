//! A resource for a file with one line and a mode.

use converge_core::prelude::*;
use converge_core::system::{Follow, WriteFile};

/// A file with a line.
#[derive(Debug, Preparer)]
#[preparer(name = "fixture.note", task = NoteTask, register = false, refresh)]
pub struct Note {
    /// The path of the file.
    #[hcl(required, nonempty, pattern = "^/", expects = "an absolute path", manages = "path")]
    path: String,
    /// The content of the line.
    #[hcl(default = "nothing", mutually_exclusive = "text,secret")]
    text: String,
    /// A secret content that is added to the line.
    #[hcl(sensitive, mutually_exclusive = "text,secret")]
    secret: Option<Secret<String>>,
    /// The permissions.
    #[hcl(base = 8, default = "644", max = 0o7777)]
    mode: u32,
    /// The words of the title.
    title: Vec<String>,
    /// The delay before the file is written.
    #[hcl(default = "0s", max = 60)]
    wait: std::time::Duration,
    /// Whether the file exists.
    state: Ensure,
}

impl Resource for Note {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<NoteTask> {
        let text = self.secret.map_or(self.text, Secret::into_exposed);
        let title = if self.title.is_empty() { String::new() } else { self.title.join(" ") + ": " };
        Ok(NoteTask {
            path: self.path,
            line: format!("{title}{text}\n"),
            mode: self.mode,
            wait: self.wait,
            state: self.state,
        })
    }
}

/// The prepared file.
#[derive(Debug, Export)]
pub struct NoteTask {
    /// The path of the file.
    #[export]
    path: String,
    /// The line in the file.
    #[export]
    line: String,
    mode: u32,
    wait: std::time::Duration,
    state: Ensure,
}

impl Task for NoteTask {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let current_file = cx.system().files().read(self.path.as_ref()).await?;
        let mode = current_file.as_ref().map_or(0, |file| file.metadata.mode);
        let mut status = Status::new();
        if self.state == Ensure::Absent {
            let is = if current_file.is_some() { "present" } else { "absent" };
            status.add_difference("state", is, "absent");
        } else {
            let text = current_file
                .map(|file| String::from_utf8_lossy(&file.bytes).into_owned())
                .unwrap_or_default();
            status.add_difference_with_default("text", text, &*self.line, "(none)");
            status.add_difference("mode", format!("{mode:04o}"), format!("{:04o}", self.mode));
        }
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        let mut status = Status::new();
        if self.state == Ensure::Absent {
            files.remove_file(self.path.as_ref()).await?;
            return Ok(status);
        }
        cx.progress().step("waiting");
        cx.system().clock().sleep(self.wait).await;
        cx.progress().step("writing");
        let write = WriteFile { mode: Some(self.mode), ..WriteFile::new(self.line.as_bytes()) };
        files.write(self.path.as_ref(), write).await?;
        status.add_message("written");
        Ok(status)
    }
}

impl Refresh for NoteTask {
    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        let metadata = cx.system().files().metadata(self.path.as_ref(), Follow::Never).await?;
        let mut status = Status::new();
        status.add_message(if metadata.is_some() { "read again" } else { "not there" });
        Ok(status)
    }
}
