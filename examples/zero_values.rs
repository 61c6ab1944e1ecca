//! Lesson 7: zero values.
//!
//! A field that a module does not write has the zero value of its type. If `0` differs from no value, the
//! field is an `Option`. In `cron.entry`, `minute = 0` is the full hour, and without a `minute` the command
//! runs every minute. Without a `nice`, the command has the normal priority, which is also 0.
//!
//! It runs on a machine in memory.
//!
//! Run it with `cargo run --example zero_values`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// A file for cron with one command, which root runs.
#[derive(Debug, Preparer)]
#[preparer(name = "cron.entry", task = Entry)]
pub struct EntryPreparer {
    /// The file.
    #[hcl(required, nonempty, manages = "path")]
    path: PathBuf,
    /// The command. It must not contain a percent sign, which would end it for cron.
    #[hcl(required, pattern = "^[^\\n\\r%]+$", expects = "one line without a percent sign")]
    command: String,
    /// The minute at which the command runs. Without it, the command runs every minute.
    #[hcl(max = 59)]
    minute: Option<u8>,
    /// The hour at which the command runs. Without it, the command runs every hour.
    #[hcl(max = 23)]
    hour: Option<u8>,
    /// The niceness of the command; 0 if it is not written.
    #[hcl(min = 0, max = 19)]
    nice: u8,
}

impl Resource for EntryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Entry> {
        // `None` means not written, and `Some(0)` means written as zero.
        let field = |time: Option<u8>| time.map_or("*".to_owned(), |time| time.to_string());
        // Both mean the same here, so the field is not an `Option`.
        let nice = if self.nice == 0 { String::new() } else { format!("nice -n {} ", self.nice) };
        let line = format!("{} {} * * * root {nice}{}\n", field(self.minute), field(self.hour), self.command);
        Ok(Entry { path: self.path, line })
    }
}

/// The file and its content.
#[derive(Debug, Export)]
pub struct Entry {
    /// The file.
    #[export]
    path: PathBuf,
    /// The line in the file.
    #[export]
    line: String,
}

impl Task for Entry {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let bytes = cx.system().files().read(&self.path).await?.map(|file| file.bytes).unwrap_or_default();
        let mut status = Status::new();
        // The file belongs to this resource, so another line is replaced. A file that is not text belongs to
        // somebody else.
        let before = String::from_utf8(bytes).context(|| format!("{} is not text", self.path.display()))?;
        status.add_difference_with_default("line", before, &*self.line, "(none)");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(&self.path, WriteFile::new(self.line.as_bytes())).await?;
        Ok(Status::new())
    }
}

const MODULE: &str = r#"
cron.entry "hourly" {
  path    = "/etc/cron.d/hourly"
  command = "tidy"
  minute  = 0
  nice    = 0
}

cron.entry "always" {
  path    = "/etc/cron.d/always"
  command = "watch"
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<EntryPreparer>()?;
    let graph = Loader::new(&registry).load_text("cron.hcl", MODULE).into_graph()?;
    let model = Arc::new(ModelSystem::new().with_dir("/etc/cron.d"));
    let system: Arc<dyn System> = Arc::<ModelSystem>::clone(&model);
    let summary = Engine::new(system).apply(&graph).await?;

    let machine = model.machine();
    let text = |name: &str| machine.file(format!("/etc/cron.d/{name}")).map(String::from_utf8_lossy);
    let (hourly, always) = (text("hourly").unwrap_or_default(), text("always").unwrap_or_default());
    print!("{hourly}{always}");
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<EntryPreparer>::new().hold(law);
    }
    if hourly == "0 * * * * root tidy\n" && always == "* * * * * root watch\n" {
        Ok(())
    } else {
        Err(format!("{summary:?}").into())
    }
}
