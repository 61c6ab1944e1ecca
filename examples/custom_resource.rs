//! Lesson 12: a resource of one's own, used from HCL.
//!
//! `line` makes sure that a file has a certain line. The module below uses it twice, with a parameter and a lookup, and the engine
//! applies it on this machine, in a temporary folder.
//!
//! The file is somebody's, and has more in it than the line. So it is read as bytes, whatever they mean; its line breaks stay what
//! they are, the new one like those that are there; and what has bytes of zero in it, which no file of lines has, is refused. Several
//! resources may see to lines of one file, so they do not manage it, and a lock keeps each from writing what another one has read.
//!
//! Run it with `cargo run --example custom_resource`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// Makes sure that a file has a line.
///
/// The lines of a file end with a line feed, with or without a carriage return before it. What else they hold stays as it is.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "line", task = Self, lock = "line")]
pub struct FileLine {
    /// The file. It is made when it does not exist.
    #[hcl(required, nonempty, ensures = "path")]
    #[export]
    file: PathBuf,
    /// The line, without its line break.
    #[hcl(required, pattern = "^[^\\n\\r\\x00]*$", expects = "one line without its line break")]
    #[export]
    line: String,
    /// What the file holds, as of the check.
    #[hcl(skip)]
    content: Vec<u8>,
}

/// The lines, without their line breaks. What follows the last line break is one when there is something.
fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or(line))
}

/// The content with one line more, after which there is a line break like the first one that is there.
fn with_line(content: &[u8], line: &str) -> Vec<u8> {
    let first = content.split_inclusive(|byte| *byte == b'\n').next();
    let line_break: &[u8] = if first.is_some_and(|first| first.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" };
    let ended = content.is_empty() || content.ends_with(b"\n");
    [content, if ended { b"" } else { line_break }, line.as_bytes(), line_break].concat()
}

impl Task for FileLine {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let found = cx.system().files().read(&self.file).await?;
        self.content = found.map(|file| file.bytes).unwrap_or_default();
        if self.content.contains(&0) {
            return Err(Error::msg(format!("{} is no file of lines", self.file.display())));
        }
        let mut status = Status::new();
        let has = lines(&self.content).any(|line| line == self.line.as_bytes());
        status.add_difference("line", if has { "present" } else { "absent" }, "present");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // From what the check has found, so that an apply which is made twice adds one line.
        let content = with_line(&self.content, &self.line);
        cx.system().files().write(&self.file, WriteFile::new(&content)).await?;
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

# These two wait for nothing, and for each other only to write.
line "third" {
  file = "{{param `file`}}.list"
  line = "a"
}

line "fourth" {
  file = "{{param `file`}}.list"
  line = "b"
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("lines.txt");

    let registry = Registry::new().with::<FileLine>()?;
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
    let text = async |file: PathBuf| {
        let content = LocalSystem::new().files().read(&file).await?;
        Ok::<_, Error>(String::from_utf8(content.map(|file| file.bytes).unwrap_or_default())?)
    };
    let (lines_of_file, list) = (text(file.clone()).await?, text(file.with_extension("txt.list")).await?);
    print!("{lines_of_file}{list}");
    if summary.changed != 4 || lines_of_file != "one\none and two\n" || list.len() != "a\nb\n".len() {
        return Err(format!("{summary:?}").into());
    }

    // What the file holds beside the line stays, byte by byte.
    assert_eq!(with_line(b"\xff\xfe \x80\n", "new"), b"\xff\xfe \x80\nnew\n");
    assert_eq!(with_line(b"dos\r\nunix\n", "new"), b"dos\r\nunix\nnew\r\n");
    assert_eq!(with_line(b"no end", "new"), b"no end\nnew\n");
    assert!(lines(b"dos\r\nlast").eq([&b"dos"[..], b"last"]));

    // And what holds for every resource holds for this one, also where the file is one of another kind.
    for law in Law::ALL {
        Laws::<FileLine>::new().hold(law);
        Laws::<FileLine>::new().start(|| ModelSystem::new().with_file("/a", b"\xff\r\n".to_vec())).hold(law);
    }
    Ok(())
}
