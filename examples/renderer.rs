//! Lesson 9: the renderer.
//!
//! Fields are rendered before a resource is prepared, so most resources never use their renderer. `page`
//! does: its text is a template in a separate file. The template sees the parameters of the module and the
//! values of the resource's dependencies. The rendered value may be unknown or secret, and errors of the
//! renderer are passed on unchanged.
//!
//! It runs on this machine, in a temporary folder.
//!
//! Run it with `cargo run --example renderer`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::WriteFile;
use converge_core::testing::laws::{Law, Laws};
use converge_core::{DiffValue, SecretDiff};

/// A file that is rendered from a template in another file.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "page", task = Self)]
pub struct Page {
    /// The template.
    #[hcl(required, nonempty, needs = "path")]
    template: PathBuf,
    /// The rendered file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: PathBuf,
    /// The rendered text, if it is known.
    #[hcl(skip)]
    text: Option<Value>,
}

impl Task for Page {
    async fn check(&mut self, cx: &Context, renderer: &dyn Renderer) -> Result<Status> {
        let files = cx.system().files();
        let mut status = Status::new();
        let Some(template) = files.read(&self.template).await? else {
            if cx.pending().is_empty() {
                return Err(Error::NotFound { kind: "template", name: self.template.display().to_string() });
            }
            status.add_message("the template does not exist yet");
            status.raise_level(StatusLevel::MayChange);
            return Ok(status);
        };
        let template = String::from_utf8(template.bytes).context(|| "the template is not text".to_owned())?;
        let text = renderer.render(&self.template.display().to_string(), &template)?;
        let found = files.read(&self.path).await?.map(|file| file.bytes);
        match (&text, text.as_str()) {
            (Value::Secret(_), Some(wanted)) => {
                status.add_diff("text", SecretDiff { changes: found.as_deref() != Some(wanted.as_bytes()) });
            }
            (_, Some(wanted)) => {
                let before = match found {
                    Some(found) => DiffValue::Known(String::from_utf8(found)?),
                    None => DiffValue::Placeholder("(absent)".to_owned()),
                };
                status.add_difference("text", before, wanted);
            }
            // The template reads a value that is known only after an apply.
            (_, None) => {
                status.add_difference(
                    "text",
                    DiffValue::Placeholder("(not compared)".to_owned()),
                    DiffValue::Unknown,
                );
                status.raise_level(StatusLevel::MayChange);
                return Ok(status);
            }
        }
        status.raise_level_for_diffs();
        self.text = Some(text);
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let text = self.text.as_ref().and_then(Value::as_str).ok_or("the text is not known")?;
        cx.system().files().write(&self.path, WriteFile::new(text.as_bytes())).await?;
        Ok(Status::new())
    }
}

const MODULE: &str = r#"
param "dir" {}
param "who" { default = "world" }

page "hello" {
  template = "{{param `dir`}}/hello.tmpl"
  path     = "{{param `dir`}}/hello.txt"
  # What only the template reads has to be named: the module does not know the template.
  depends  = ["param.who"]
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let system = LocalSystem::new();
    let template = folder.path().join("hello.tmpl");
    let registry = Registry::new().with::<Page>()?;
    let loader = Loader::new(&registry).with_param("dir", folder.path().display().to_string());
    let graph = loader.load_text("hello.hcl", MODULE).into_graph()?;
    let engine = Engine::new(Arc::new(system.clone()));

    let mut failures = Vec::new();
    for text in ["hello, {{param `who`}}\n", "hello, {{param `nobody`}}\n", "hello, {{"] {
        system.files().write(&template, WriteFile::new(text.as_bytes())).await?;
        let mut sink = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                println!("{text:?} {:?}", report.outcome);
                failures.extend(report.failure.map(|failure| failure.message));
            }
        };
        engine.apply(&graph).sink(&mut sink).await?;
    }
    println!("{}", failures.join("\n"));

    let made = system.files().read(&folder.path().join("hello.txt")).await?.map(|file| file.bytes);
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<Page>::new().hold(law);
    }
    if made.as_deref() == Some(b"hello, world\n") && failures.len() == 2 {
        Ok(())
    } else {
        Err(format!("{made:?}").into())
    }
}
