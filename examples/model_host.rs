//! Lesson 13: testing a resource on a machine in memory.
//!
//! `ModelSystem` has files, users, programs with scripted answers, and a clock that stands still until
//! a test turns it. It records every effect, and it can crash after any of them. So the laws that every
//! resource should keep are a few lines each: a check changes nothing; what an apply does is what its
//! check said; a second apply has nothing to do; and a crash at any moment is repaired by the next run.
//!
//! Run it with `cargo run --example model_host`.

use std::sync::Arc;

use converge_core::prelude::embed::*;
use converge_core::prelude::*;
use converge_core::system::{Effect, Follow, ModelSystem, WriteFile};
use converge_core::testing::laws::{Law, Laws};

/// A directory with a file in it that says what it is for.
#[derive(Debug, Preparer)]
#[preparer(name = "labelled.directory", task = Labelled, register = false)]
pub struct LabelledPreparer {
    /// The directory.
    #[hcl(required, nonempty)]
    path: String,
    /// What it is for.
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
    /// What the directory is for.
    #[export]
    label: String,
    /// Whether the directory is there, as of the check.
    exists: bool,
}

impl Task for Labelled {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let files = cx.system().files();
        self.exists = files.metadata(self.path.as_ref(), Follow::Links).await?.is_some();
        // Another text is replaced, as the file is this resource's own; what is no text is somebody else's.
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

/// Runs the resource on `model`, as a plan or as an apply.
async fn run(
    model: &Arc<ModelSystem>,
    mode: RunMode,
) -> Result<Summary, Box<dyn std::error::Error + Send + Sync>> {
    let registry = Registry::new().with::<LabelledPreparer>()?;
    let graph = GraphBuilder::new(&registry)
        .resource("labelled.directory", "srv", |it| it.set("path", "/srv").set("label", "web"))
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

    // An apply does what the check said, and a second one has nothing to do.
    let apply = run(&model, RunMode::Apply).await?;
    assert_eq!(apply.changed, 1);
    let expected =
        [Effect::CreateDir { path: "/srv".into() }, Effect::WriteFile { path: "/srv/README".into() }];
    assert_eq!(model.effects(), expected);
    assert_eq!(run(&model, RunMode::Apply).await?.unchanged, 1);
    println!("effects of an apply: {:?}", model.effects());

    // A crash after any number of effects is repaired by the next run.
    for effects in 0..expected.len() {
        let crashed = Arc::new(ModelSystem::new());
        crashed.fail_after(effects);
        assert_eq!(run(&crashed, RunMode::Apply).await?.failed, 1);
        crashed.restart();
        assert!(run(&crashed, RunMode::Apply).await?.is_success());
        assert_eq!(crashed.machine().file("/srv/README"), Some(&b"web"[..]));
        println!("a crash after {effects} effects is repaired");
    }

    // These and more of the kind are tried with one line in the tests of a crate, `laws!(LabelledPreparer);`, which is a test for each
    // law: with values that the schema says, on machines that have something in the way.
    for law in Law::ALL {
        Laws::<LabelledPreparer>::new().hold(law);
    }
    Ok(())
}
