//! Lesson 6: exports.
//!
//! Other resources read the exports of a task with `lookup`. `program` runs a program and exports the result
//! as a group of values, `status`. `note` writes a text that reads them. The exports are known from the
//! types, so a lookup of a missing export is found when the module is loaded.
//!
//! It runs on a machine in memory.
//!
//! Run it with `cargo run --example exports`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Command, Exit, ModelSystem, Output, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// Runs a program that changes nothing, and exports its output.
#[derive(Debug, Preparer)]
#[preparer(name = "program", task = Program, reads = "anything", changes = "named")]
pub struct ProgramPreparer {
    /// The program and its arguments.
    #[hcl(required, nonempty)]
    command: Vec<String>,
}

impl Resource for ProgramPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Program> {
        Ok(Program { command: self.command, printed: None, runs: 0 })
    }
}

/// A program that was run.
#[derive(Debug, Export)]
pub struct Program {
    /// The program and its arguments: `program.NAME.command`.
    #[export]
    command: Vec<String>,
    /// The result. Its exports appear under the name: `program.NAME.status.stdout`.
    #[re_export_as = "status"]
    printed: Option<Printed>,
    /// The number of runs. Nobody can read it, because it is not exported.
    runs: u32,
}

/// The output and the exit code of a program.
#[derive(Debug, Export)]
pub struct Printed {
    /// The standard output, without the line break at the end.
    #[export]
    stdout: String,
    /// The exit code.
    #[export(name = "exit")]
    code: i32,
    /// The size of the output. `embed` adds these exports to the others: `program.NAME.status.lines`.
    #[export(embed)]
    size: Size,
}

/// The size of a text.
#[derive(Debug, Export)]
pub struct Size {
    /// The number of lines.
    #[export]
    lines: usize,
}

impl Task for Program {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let (program, args) = self.command.split_first().ok_or("there is no program")?;
        let output =
            cx.system().processes().run(Command::new(program).args(args.iter().map(String::as_str))).await?;
        let Exit::Code(code) = output.exit else { return Err(format!("{program} was killed").into()) };
        // Output that is not text is refused and not replaced by similar text.
        let stdout = String::from_utf8(output.stdout).context(|| format!("what {program} printed"))?;
        let size = Size { lines: stdout.lines().count() };
        self.printed = Some(Printed { stdout: stdout.trim_end().to_owned(), code, size });
        self.runs += 1;
        let mut status = Status::new();
        status.add_message(format!("run {} of {program}", self.runs));
        Ok(status)
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

/// A file with a text.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "note", task = Self)]
pub struct Note {
    /// The file.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: PathBuf,
    /// The text.
    #[hcl(required)]
    text: String,
}

impl Task for Note {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let bytes = cx.system().files().read(&self.path).await?.map(|file| file.bytes).unwrap_or_default();
        let mut status = Status::new();
        status.add_difference("text", String::from_utf8(bytes)?, &*self.text);
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(&self.path, WriteFile::new(self.text.as_bytes())).await?;
        Ok(Status::new())
    }
}

const MODULE: &str = r#"
program "kernel" {
  command = ["uname", "-s"]
}

note "about" {
  path = "/srv/about"
  text = "{{lookup `program.kernel.status.stdout`}} in {{lookup `program.kernel.status.lines`}} line"
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<ProgramPreparer>()?.with::<Note>()?;
    let loader = Loader::new(&registry);

    let invalid = loader.load_text("wrong.hcl", MODULE.replace("status.stdout", "status.stdou"));
    for diagnostic in &invalid.diagnostics {
        println!("{}", diagnostic.one_line(&invalid.sources));
    }

    let model =
        Arc::new(ModelSystem::new().with_dir("/srv").with_query(["uname", "-s"], Output::success("Linux\n")));
    let system: Arc<dyn System> = Arc::<ModelSystem>::clone(&model);
    let graph = loader.load_text("about.hcl", MODULE).into_graph()?;
    let summary = Engine::new(system).apply(&graph).await?;
    let bytes = model.machine().file("/srv/about").map(<[u8]>::to_vec).unwrap_or_default();
    let text = String::from_utf8(bytes)?;
    println!("{text}");
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<Note>::new().hold(law);
    }
    if invalid.diagnostics.len() == 1 && text == "Linux in 1 line" {
        Ok(())
    } else {
        Err(format!("{summary:?}").into())
    }
}
