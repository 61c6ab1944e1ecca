//! The messages for programs that use the engine in a wrong way, which can only be seen when the
//! program runs. What the compiler sees is in `tests/derives/tests/ui/program`.
//!
//! | mistakes that show when the program runs | the error says |
//! | --- | --- |
//! | an id or an owner that cannot be one | which part is wrong |
//! | a module with mistakes, or of a type that is left out | where, and which feature |
//! | state that is not given, or given in an `Arc` | its type, and what to call |
//! | a target, a resource or an export that is not there | what is like it |
//! | a plan of another version | which one is read |
//! | no runtime, one without timer or I/O, a run that blocks in one | what is missing |

#![expect(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use converge_core::engine::{EngineError, RuntimePart};
use converge_core::prelude::embed::*;
use converge_core::prelude::*;

fn says(error: &impl std::fmt::Display, expect: &str) {
    assert!(error.to_string().contains(expect), "{error}");
}

#[test]
fn names_that_are_none_say_why() {
    says(&"task.build".parse::<NodeId>().unwrap_err(), "it does not begin with `root`");
    says(&"root/".parse::<NodeId>().unwrap_err(), "a part of it is empty");
    says(
        &"a tenant".parse::<Owner>().unwrap_err(),
        "\"a tenant\" cannot name an owner: ' ' is not allowed: write letters",
    );
}

#[test]
fn a_module_with_mistakes_is_refused_with_its_places() {
    let registry = Registry::new().with_absent("docker.image", "the feature `docker`");
    let loaded =
        Loader::new(&registry).load_text("main.hcl", "docker.image \"x\" {}\nparam \"y\" { defalt = 1 }\n");
    let error = loaded.into_graph().unwrap_err();
    says(&error, "main.hcl:1:1");
    says(&error, "the feature `docker`");
    says(&error, "main.hcl:2:");
    says(&error, "default");
}

struct Store;

/// A release, which needs a store.
#[derive(Debug, Preparer)]
#[preparer(name = "app.release", task = ReleaseTask, needs = Store, register = false)]
struct Release {
    /// The revision of the release.
    revision: String,
}

impl Resource for Release {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> converge_core::Result<ReleaseTask> {
        Ok(ReleaseTask { revision: self.revision })
    }
}

/// The task of the release.
#[derive(Debug, Export)]
struct ReleaseTask {
    /// The revision of the release.
    #[export]
    revision: String,
}

impl Task for ReleaseTask {
    async fn check(&mut self, cx: &Context, _: &dyn Renderer) -> converge_core::Result<Status> {
        cx.state::<Store>()?;
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> converge_core::Result<Status> {
        Ok(Status::new())
    }
}

const MODULE: &str = "app.release \"web\" { revision = \"r7\" }\n";

fn registry() -> Registry {
    Registry::builder().with::<Release>().build().unwrap()
}

fn graph() -> Arc<Graph> {
    let registry = registry();
    Loader::new(&registry).load_text("main.hcl", MODULE).into_graph().unwrap()
}

fn engine() -> Engine {
    Engine::new(Arc::new(LocalSystem::new())).with_app_state(AppState::new().with(Store))
}

fn id(path: &str) -> NodeId {
    path.parse().unwrap()
}

/// Missing state is reported by the loader if possible, and otherwise before anything is done.
#[tokio::test]
async fn state_that_a_type_needs_is_named_before_a_run() {
    let registry = registry();
    let loader = Loader::new(&registry).with_app_state(AppState::new());
    insta::assert_snapshot!(loader.load_text("main.hcl", MODULE).into_graph().unwrap_err(), @"
    main.hcl:1:1: error[missing-state]: app.release.web: `app.release` needs state of type `mistakes::Store`, which the program does not give
      help: add it with `AppState::with`, and give that to `Engine::with_app_state` and `Loader::with_app_state`
    ");
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    insta::assert_snapshot!(engine.plan(&graph()).await.unwrap_err(), @"app.release.web: `app.release` needs state of type `mistakes::Store`, which the program does not give; add it with `AppState::with`, and give that to `Engine::with_app_state` and `Loader::with_app_state`");
    // The program provides an `Arc` of the state instead of the state itself.
    let engine = engine.with_app_state(AppState::new().with(Arc::new(Store)));
    insta::assert_snapshot!(engine.plan(&graph()).await.unwrap_err(), @"app.release.web: `app.release` needs state of type `mistakes::Store`, which the program does not give; it gives an `Arc` of one: add that with `AppState::with_shared`");
}

#[tokio::test]
async fn a_target_that_is_not_there_is_named_with_what_is_like_it() {
    let (engine, graph) = (engine(), graph());
    let error = engine.plan(&graph).target(id("root/app.relese.web")).await.unwrap_err();
    insta::assert_snapshot!(error, @"there is no root/app.relese.web in this graph, so it cannot be a target; did you mean `root/app.release.web`?");
    let error = engine.make_plan(&graph).target(id("root/module.site/task.build")).await.unwrap_err();
    insta::assert_snapshot!(error, @"there is no root/module.site/task.build in this graph, so it cannot be a target");
}

#[tokio::test]
async fn what_a_report_does_not_have_is_named() {
    let report = engine().make_plan(&graph()).await.unwrap().report;
    let web = id("root/app.release.web");
    assert_eq!(report.export::<String>(&web, "revision").unwrap(), "r7");
    insta::assert_snapshot!(report.export::<u64>(&web, "revision").unwrap_err(), @r#"`revision` of root/app.release.web is of another type: "r7" is not an integer"#);
    insta::assert_snapshot!(report.export::<u64>(&web, "revison").unwrap_err(), @"root/app.release.web has no export `revison` in the report, only `revision`; secret and unknown values are left out");
    insta::assert_snapshot!(report.export::<u64>(&id("root/app.release.wep"), "revision").unwrap_err(), @"there is no resource root/app.release.wep in the report; did you mean `root/app.release.web`?");
}

#[tokio::test]
async fn a_plan_of_another_version_says_which_one_is_read() {
    let plan = engine().make_plan(&graph()).await.unwrap();
    let mut document = serde_json::to_value(&plan).unwrap();
    document["version"] = "9.0".into();
    let error = Plan::from_json(&document.to_string()).unwrap_err();
    says(&error, "the document has version 9.0");
}

fn without_a_runtime<F: Future>(future: F) -> F::Output {
    let (mut future, mut cx) =
        (std::pin::pin!(future), std::task::Context::from_waker(std::task::Waker::noop()));
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
}

#[test]
fn a_run_outside_of_a_runtime_says_what_is_missing() {
    let (engine, graph) = (engine(), graph());
    let error = without_a_runtime(engine.apply(&graph).into_future()).unwrap_err();
    insta::assert_snapshot!(error, @"a run needs a tokio runtime around it, and here is none: await or spawn it in async code that a runtime drives (`#[tokio::main]`, `Runtime::block_on`), or enter a runtime before `spawn` (`Handle::enter`)");
    let mut events = 0;
    let mut sink = |_: Event| events += 1;
    assert_eq!(without_a_runtime(engine.plan(&graph).sink(&mut sink).into_future()).unwrap_err(), error);
    let mut run = engine.apply(&graph).spawn();
    assert!(run.is_finished());
    assert_eq!(without_a_runtime(run.next()), None);
    run.cancel();
    assert_eq!(without_a_runtime(run.into_future()).unwrap_err(), error);
    assert_eq!(events, 0);
    // A thread that has entered a runtime may spawn tasks.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let run = engine.plan(&graph).spawn();
    drop(entered);
    assert!(runtime.block_on(run.into_future()).unwrap().is_success());
}

#[test]
fn a_runtime_that_lacks_something_is_told_by_name() {
    let panic_message = |builder: &mut tokio::runtime::Builder| {
        let runtime = builder.build().unwrap();
        runtime.block_on(engine().apply(&graph()).into_future()).unwrap_err()
    };
    let error = panic_message(&mut tokio::runtime::Builder::new_current_thread());
    insta::assert_snapshot!(error, @"the tokio runtime around this run has no timer: build it with `Builder::enable_all`");
    assert_eq!(panic_message(tokio::runtime::Builder::new_multi_thread().enable_io()), error);
    let error = panic_message(tokio::runtime::Builder::new_current_thread().enable_time());
    assert_eq!(error, EngineError::RuntimeWithout(RuntimePart::Io));
    insta::assert_snapshot!(error, @"the tokio runtime around this run has no I/O: build it with `Builder::enable_all`");
}

/// Returns the message of a panic.
fn panics(action: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let Err(panic) = std::panic::catch_unwind(action) else { return String::new() };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The message comes from tokio, because the engine is not involved.
#[tokio::test]
async fn a_run_that_blocks_in_a_runtime_says_what_is_wrong() {
    let message = panics(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // Dropping the runtime here would panic too.
        let runtime = std::mem::ManuallyDrop::new(runtime);
        let _ = runtime.block_on(engine().plan(&graph()).into_future());
    });
    says(&message, "Cannot start a runtime from within a runtime");
}
