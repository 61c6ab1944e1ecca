//! Lesson 3: a resource of one's own, used from HCL.
//!
//! `line` makes sure that a file has a certain line. The module below uses it twice, with a parameter
//! and a lookup, and the engine applies it on this machine, in a temporary folder.
//!
//! Run it with `cargo run --example custom_resource`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::WriteFile;

/// Makes sure that a file has a line.
#[derive(Debug, Preparer)]
#[preparer(name = "line", task = Line)]
pub struct LinePreparer {
    /// The file. It is made when it does not exist.
    #[hcl(required, nonempty)]
    file: PathBuf,
    /// The line, without its line break.
    #[hcl(required, pattern = "^[^\\n]*$")]
    line: String,
}

impl Resource for LinePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Line> {
        Ok(Line { file: self.file, wanted: self.line, text: String::new() })
    }
}

/// One line of a file.
#[derive(Debug, Export)]
pub struct Line {
    /// The file.
    #[export]
    file: PathBuf,
    /// The line.
    #[export(name = "line")]
    wanted: String,
    /// What the file holds, as of the check.
    text: String,
}

impl Line {
    fn with_line(&self) -> String {
        let newline = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { "\n" };
        format!("{}{newline}{}\n", self.text, self.wanted)
    }
}

impl Task for Line {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let content = cx.system().files().read(&self.file).await?;
        self.text = String::from_utf8_lossy(&content.map(|file| file.bytes).unwrap_or_default()).into_owned();
        let mut status = Status::new();
        if !self.text.lines().any(|line| line == self.wanted) {
            status.add_difference("content", &*self.text, self.with_line());
            status.raise_level_for_diffs();
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(&self.file, WriteFile::new(self.with_line().as_bytes())).await?;
        Ok(Status::new())
    }
}

const MODULE: &str = r#"
param "file" {}

line "first" {
  file = "{{param `file`}}"
  line = "one"
}

line "second" {
  file = "{{lookup `line.first.file`}}"
  line = "{{lookup `line.first.line`}} and two"
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("lines.txt");

    let registry = Registry::new().with::<LinePreparer>()?;
    let loaded =
        Loader::new(&registry).with_param("file", file.display().to_string()).load_text("lines.hcl", MODULE);
    let graph = loaded.into_graph()?;

    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let mut changed = Vec::new();
    let mut sink = |event: Event| {
        if let EventKind::ResourceFinished(report) = event.kind {
            println!("{:<12} {:?}", report.id.short(), report.outcome);
            changed.push(report.id);
        }
    };
    let summary = engine.apply(&graph).sink(&mut sink).await?;
    let text = LocalSystem::new().files().read(&file).await?.map(|file| file.bytes).unwrap_or_default();
    let text = String::from_utf8(text)?;
    print!("{text}");
    if summary.changed == 2 && text == "one\none and two\n" {
        Ok(())
    } else {
        Err(format!("{summary:?}").into())
    }
}
