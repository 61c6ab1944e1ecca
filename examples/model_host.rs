//! Lesson 13: testing a resource on a machine in memory.
//!
//! `ModelSystem` has files, users, programs with scripted output, and a clock that only a test advances. It
//! records every effect, and it can crash after any of them. The laws of resources therefore take only a few
//! lines each:
//!
//! - A check changes nothing.
//! - An apply makes the changes that its check reported.
//! - A second apply has nothing to do.
//! - The next run repairs a crash at any point.
//!
//! Run it with `cargo run --example model_host`.

use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Effect, Follow, ModelSystem, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// A directory with a file that describes its purpose.
#[derive(Debug, Preparer)]
#[preparer(name = "labelled.directory", task = Labelled, register = false)]
pub struct LabelledPreparer {
    /// The directory.
    #[hcl(required, nonempty)]
    path: String,
    /// The purpose of the directory.
    #[hcl(required)]
    label: String,
}

impl Resource for LabelledPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Labelled> {
        Ok(Labelled {
            readme: format!("{}/README", self.path),
            path: self.path,
            label: self.label,
            exists: false,
        })
    }
}

/// The directory and its label.
#[derive(Debug, Export)]
pub struct Labelled {
    /// The directory.
    #[export]
    path: String,
    /// The file with the label.
    #[export]
    readme: String,
    /// The purpose of the directory.
    #[export]
    label: String,
    /// Whether the directory existed at the time of the check.
    exists: bool,
}

impl Task for Labelled {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let files = cx.system().files();
        self.exists = files.metadata(self.path.as_ref(), Follow::Links).await?.is_some();
        // Another text is replaced, because the file belongs to this resource; a file that is not text
        // belongs to somebody else.
        let label = files.read(self.readme.as_ref()).await?.map(|file| file.bytes).unwrap_or_default();
        let label = String::from_utf8(label).context(|| format!("{} holds no label", self.readme))?;
        let mut status = Status::new();
        status.add_difference("exists", self.exists.to_string(), "true");
        status.add_difference_with_default("label", label, &*self.label, "(none)");
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        if !self.exists {
            files.create_dir(self.path.as_ref(), 0o755).await?;
        }
        files.write(self.readme.as_ref(), WriteFile::new(self.label.as_bytes())).await?;
        Ok(Status::new())
    }
}

/// Runs the resource on `model`, in a plan or in an apply.
async fn run(
    model: &Arc<ModelSystem>,
    mode: RunMode,
) -> Result<Summary, Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<LabelledPreparer>()?;
    let graph = GraphBuilder::new(&registry)
        .resource("labelled.directory", "srv", |resource| resource.set("path", "/srv").set("label", "web"))
        .build()?;
    let system: Arc<dyn System> = Arc::<ModelSystem>::clone(model);
    let engine = Engine::new(system);
    Ok(match mode {
        RunMode::Plan => engine.plan(&graph).await?,
        RunMode::Apply => engine.apply(&graph).await?,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // A check changes nothing.
    let model = Arc::new(ModelSystem::new());
    let plan = run(&model, RunMode::Plan).await?;
    assert!(plan.has_changes());
    assert_eq!(model.effects(), []);

    // An apply makes the changes that the check reported, and a second apply has nothing to do.
    let apply = run(&model, RunMode::Apply).await?;
    assert_eq!(apply.changed, 1);
    let expected =
        [Effect::CreateDir { path: "/srv".into() }, Effect::WriteFile { path: "/srv/README".into() }];
    assert_eq!(model.effects(), expected);
    assert_eq!(run(&model, RunMode::Apply).await?.unchanged, 1);
    println!("effects of an apply: {:?}", model.effects());

    // The next run repairs a crash after any number of effects.
    for effects in 0..expected.len() {
        let crashed = Arc::new(ModelSystem::new());
        crashed.fail_after(effects);
        assert_eq!(run(&crashed, RunMode::Apply).await?.failed, 1);
        crashed.restart();
        assert!(run(&crashed, RunMode::Apply).await?.is_success());
        assert_eq!(crashed.machine().file("/srv/README"), Some(&b"web"[..]));
        println!("a crash after {effects} effects is repaired");
    }

    // In a crate, one line in the tests checks these and further laws: `laws!(LabelledPreparer);`. It makes a
    // test of each law, with values from the schema, on machines with obstacles.
    for law in Law::ALL {
        Laws::<LabelledPreparer>::new().hold(law);
    }
    Ok(())
}
