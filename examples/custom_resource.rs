//! Lesson 12: a resource of one's own, used from HCL.
//!
//! `line` makes sure that a file contains a certain line. The module below uses it twice, with a parameter
//! and a lookup, and the engine applies it on this machine, in a temporary folder.
//!
//! The file belongs to somebody and has other content too. It is therefore read as bytes, whatever they mean.
//! Its line breaks stay, and a new line gets the same kind of line break. A file with zero bytes is refused,
//! because no text file has them. Several resources may ensure lines of one file, so the resource does not
//! manage the file. A lock prevents one resource from overwriting the change of another.
//!
//! Run it with `cargo run --example custom_resource`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// Makes sure that a file contains a line.
///
/// The lines of a file end with a line feed, with or without a carriage return before it. All other content
/// stays unchanged.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "line", task = Self, lock = "line")]
pub struct FileLine {
    /// The file. It is created if it does not exist.
    #[hcl(required, nonempty, ensures = "path")]
    #[export]
    file: PathBuf,
    /// The line, without its line break.
    #[hcl(required, pattern = "^[^\\n\\r\\x00]*$", expects = "one line without its line break")]
    #[export]
    line: String,
    /// The content of the file at the time of the check.
    #[hcl(skip)]
    content: Vec<u8>,
}

/// Returns the lines without their line breaks, including a last line without one.
fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or(line))
}

/// Returns the content with one more line, which ends with the kind of line break used in the content.
fn with_line(content: &[u8], line: &str) -> Vec<u8> {
    let first = content.split_inclusive(|byte| *byte == b'\n').next();
    let line_break: &[u8] = if first.is_some_and(|first| first.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" };
    let ended = content.is_empty() || content.ends_with(b"\n");
    [content, if ended { b"" } else { line_break }, line.as_bytes(), line_break].concat()
}

impl Task for FileLine {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let file = cx.system().files().read(&self.file).await?;
        self.content = file.map(|file| file.bytes).unwrap_or_default();
        if self.content.contains(&0) {
            return Err(Error::msg(format!("{} is not a file of lines", self.file.display())));
        }
        let mut status = Status::new();
        let is_present = lines(&self.content).any(|line| line == self.line.as_bytes());
        status.add_difference("line", if is_present { "present" } else { "absent" }, "present");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        // The content of the check is used, so that a repeated apply adds the line only once.
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

    // The rest of the file stays, byte by byte.
    assert_eq!(with_line(b"\xff\xfe \x80\n", "new"), b"\xff\xfe \x80\nnew\n");
    assert_eq!(with_line(b"dos\r\nunix\n", "new"), b"dos\r\nunix\nnew\r\n");
    assert_eq!(with_line(b"no end", "new"), b"no end\nnew\n");
    assert!(lines(b"dos\r\nlast").eq([&b"dos"[..], b"last"]));

    // Every law of resources holds for this one, also if the path is not a regular file.
    for law in Law::ALL {
        Laws::<FileLine>::new().hold(law);
        Laws::<FileLine>::new().start(|| ModelSystem::new().with_file("/a", b"\xff\r\n".to_vec())).hold(law);
    }
    Ok(())
}
