//! Lesson 5: errors.
//!
//! `serial` keeps a number in a file, such as the serial number of a zone, which never decreases. If the file
//! does not contain a number, the check returns `Err` and the file stays. If the file contains a greater
//! number than declared, the check calls `set_error`: people see a difference that cannot be corrected. An
//! `Err` equals `set_error` on an otherwise empty status, so use only one of them for each kind of error.
//!
//! It runs on a machine in memory.
//!
//! Run it with `cargo run --example errors`.

use std::path::PathBuf;
use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{ModelSystem, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// Makes sure that a file contains the declared number, which never decreases.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "serial", task = Self)]
pub struct Serial {
    /// The file. It is created if it does not exist.
    #[hcl(required, nonempty, manages = "path")]
    #[export]
    path: PathBuf,
    /// The number.
    #[hcl(required)]
    #[export]
    number: u64,
}

impl Serial {
    /// Returns the number in the file, or `None` if there is no file.
    async fn find(&self, cx: &Context) -> Result<Option<u64>> {
        let Some(file) = cx.system().files().read(&self.path).await? else { return Ok(None) };
        // `?` converts errors of the system and of the standard library, and `context` adds the failed
        // action.
        let number = || Ok::<u64, Error>(str::from_utf8(&file.bytes)?.trim_end().parse()?);
        Ok(Some(number().context(|| format!("{} holds no serial number", self.path.display()))?))
    }
}

impl Task for Serial {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let found = self.find(cx).await?;
        let mut status = Status::new();
        let before = found.map(|number| number.to_string()).unwrap_or_default();
        status.add_difference_with_default("number", before, self.number.to_string(), "(none)");
        status.raise_level_for_diffs();
        if found.is_some_and(|found| found > self.number) {
            // The difference is shown with the error, and the level becomes `CantChange`.
            status.set_error("a serial number never goes back");
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let text = format!("{}\n", self.number);
        cx.system().files().write(&self.path, WriteFile::new(text.as_bytes())).await?;
        Ok(Status::new())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<Serial>()?;
    let module = r#"serial "zone" { path = "/srv/serial" number = 7 }"#;
    let graph = Loader::new(&registry).load_text("zone.hcl", module).into_graph()?;

    let mut seen = Vec::new();
    for before in ["6\n", "7\n", "8\n", "seven\n", "\u{fffd}", ""] {
        let model = Arc::new(ModelSystem::new().with_file("/srv/serial", before));
        let system: Arc<dyn System> = Arc::<ModelSystem>::clone(&model);
        let mut sink = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                let why = report.failure.map(|failure| format!(": {}", failure.message)).unwrap_or_default();
                println!("{before:?} {:?}{why}", report.level);
                seen.push((report.level, report.differences.len()));
            }
        };
        Engine::new(system).apply(&graph).sink(&mut sink).await?;
        // A file that cannot be parsed is never replaced.
        let after = if before == "6\n" { "7\n" } else { before };
        assert_eq!(model.machine().file("/srv/serial"), Some(after.as_bytes()));
    }
    let refused = (StatusLevel::Fatal, 0);
    let expected = [
        (StatusLevel::NoChange, 1),
        (StatusLevel::NoChange, 1),
        (StatusLevel::CantChange, 1),
        refused,
        refused,
        refused,
    ];
    // Every law of resources holds for this one.
    for law in Law::ALL {
        Laws::<Serial>::new().hold(law);
    }
    if seen == expected { Ok(()) } else { Err(format!("{seen:?}").into()) }
}
