//! Helpers for the tests of resources.
//!
//! They run one resource at a time as the engine does, and return what a user would see.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use converge_core::graph::NodeId;
use converge_core::testing::{self, FakeRenderer, ProgressRecorder};
use converge_sdk::prelude::*;
use converge_sdk::system::{
    Command, LocalSystem, ModelSystem, OutputStream, Processes, System, WrapProcesses, WrapSystem,
};
use converge_sdk::{ProgressUpdate, RunId};

/// The fields of a resource, as a module gives them.
pub type Written<'a> = &'a [(&'static str, Value)];

/// Returns the local system.
pub fn local() -> Arc<dyn System> {
    Arc::new(LocalSystem::new())
}

/// The directory with the values that resources keep between runs.
pub const KEPT: &str = "/var/lib/converge/kept";

/// Returns a context for a system.
pub fn context(system: Arc<dyn System>, mode: RunMode) -> Context {
    testing::keeping(Context::new(system, RunId::new("test"), mode), KEPT)
}

/// Prepares a resource as the engine does.
pub async fn prepare<R: Resource>(cx: &Context, fields: Written<'_>) -> Result<R::Task> {
    testing::prepare::<R>(fields.iter().cloned(), cx, &FakeRenderer::new()).await
}

/// Returns the result of a plan as text.
pub async fn plan<R: Resource>(system: &Arc<dyn System>, fields: Written<'_>) -> String {
    check_in::<R>(&context(Arc::clone(system), RunMode::Plan), fields).await
}

/// Returns the result of a plan in which a dependency has pending changes.
pub async fn plan_pending<R: Resource>(system: &Arc<dyn System>, fields: Written<'_>) -> String {
    plan_behind::<R>("task.first", system, fields).await
}

/// Returns the result of a plan in which `dependency` has pending changes.
pub async fn plan_behind<R: Resource>(
    dependency: &str,
    system: &Arc<dyn System>,
    written: Written<'_>,
) -> String {
    let pending = [NodeId::root().child(dependency)];
    check_in::<R>(&context(Arc::clone(system), RunMode::Plan).with_pending(pending), written).await
}

/// Returns the programs that a plan reports as started elsewhere.
pub async fn started_elsewhere<R: Resource>(model: ModelSystem, fields: Written<'_>) -> Vec<Command> {
    let listening = Arc::new(Listening { model, heard: Mutex::default() });
    plan::<R>(&(Arc::clone(&listening) as _), fields).await;
    let commands = listening.heard.lock();
    commands.unwrap_or_else(PoisonError::into_inner).clone()
}

/// A system that records the programs started elsewhere.
#[derive(Debug)]
struct Listening {
    model: ModelSystem,
    heard: Mutex<Vec<Command>>,
}

impl WrapSystem for Listening {
    fn wrapped_system(&self) -> &dyn System {
        &self.model
    }

    fn processes(&self) -> &dyn Processes {
        self
    }
}

#[async_trait]
impl WrapProcesses for Listening {
    fn wrapped_processes(&self) -> &dyn Processes {
        self.model.processes()
    }

    async fn started_elsewhere(&self, command: &Command) {
        self.heard.lock().unwrap().push(command.clone());
    }
}

async fn check_in<R: Resource>(cx: &Context, fields: Written<'_>) -> String {
    let checked = match prepare::<R>(cx, fields).await {
        Ok(mut task) => task.check(cx, &FakeRenderer::new()).await,
        Err(error) => Err(error),
    };
    show(&checked)
}

/// Returns the result of an apply as text: the check, the apply itself, and anything but a success.
pub async fn apply<R: Resource>(system: &Arc<dyn System>, fields: Written<'_>) -> String {
    let cx = context(Arc::clone(system), RunMode::Apply);
    let mut task = match prepare::<R>(&cx, fields).await {
        Ok(task) => task,
        Err(error) => return show(&Err(error)),
    };
    apply_task(&cx, &mut task).await
}

/// Returns the lines of programs that an apply sends as progress events.
///
/// Lines of standard error begin with a `!`.
///
/// # Panics
///
/// Panics if the fields are invalid, or if there are other progress events.
pub async fn output_lines<R: Resource>(system: &Arc<dyn System>, fields: Written<'_>) -> Vec<String> {
    let recorder = ProgressRecorder::new();
    let cx = recorder.record(context(Arc::clone(system), RunMode::Apply));
    let mut task = prepare::<R>(&cx, fields).await.expect("the fields are right");
    apply_task(&cx, &mut task).await;
    let line = |update| match update {
        ProgressUpdate::Output { stream: OutputStream::Stdout, line, .. } => line,
        ProgressUpdate::Output { stream: OutputStream::Stderr, line, .. } => format!("! {line}"),
        other => panic!("{other:?}"),
    };
    recorder.take().into_iter().map(line).collect()
}

/// Checks that an apply fails with an error that begins with `expect`, and changes nothing.
///
/// # Panics
///
/// Panics if that is not the case.
pub async fn assert_refused<R: Resource>(model: ModelSystem, fields: Written<'_>, expect: &str) {
    let before = model.snapshot();
    let model = Arc::new(model);
    let output = apply::<R>(&(Arc::clone(&model) as _), fields).await;
    assert!(output.contains(&format!("error: {expect}")), "{fields:?}: {output}");
    assert_eq!(model.snapshot(), before, "{fields:?}");
}

/// Like [`apply`], with a task that the test continues to use.
pub async fn apply_task(cx: &Context, task: &mut impl Task) -> String {
    let renderer = FakeRenderer::new();
    let checked = task.check(cx, &renderer).await;
    let mut output = show(&checked);
    if !checked.is_ok_and(|status| status.has_changes() && !status.level().halts()) {
        return output;
    }
    match task.apply(cx).await {
        Ok(applied) => {
            for message in applied.messages() {
                let _ = write!(output, "\n# {message}");
            }
        }
        Err(error) => {
            let _ = write!(output, "\nerror: {error}");
            return output;
        }
    }
    let after = show(&task.check(cx, &renderer).await);
    if after != "no change" {
        let _ = write!(output, "\nand after apply: {after}");
    }
    output
}

/// Formats a status as text: the level, differences, messages, warnings, the error.
pub fn show(checked: &Result<Status>) -> String {
    let status = match checked {
        Ok(status) => status,
        Err(error) => return format!("error: {error}"),
    };
    let mut output = status.level().to_string();
    for (name, diff) in status.diffs() {
        let _ = write!(output, "\n{name}: {:?} => {:?}", diff.before().to_string(), diff.after().to_string());
    }
    for message in status.messages() {
        let _ = write!(output, "\n# {message}");
    }
    for warning in status.warnings() {
        let _ = write!(output, "\nwarning: {warning}");
    }
    if let Some(error) = status.error() {
        let _ = write!(output, "\nerror: {error}");
    }
    output
}

/// Checks the laws of every resource on a model host.
///
/// It also checks that two applies after one check have the same effect as one.
///
/// # Panics
///
/// Panics if a law does not hold.
pub async fn obeys_the_laws<R: Resource>(machine: impl Fn() -> ModelSystem, fields: Written<'_>) {
    testing::laws::check::<R>(&machine, fields).await.unwrap_or_else(|broken| panic!("{fields:?}: {broken}"));

    let model = Arc::new(machine());
    let cx = testing::context(&model);
    let mut task = prepare::<R>(&cx, fields).await.unwrap();
    task.check(&cx, &FakeRenderer::new()).await.unwrap();
    task.apply(&cx).await.unwrap();
    let first = model.snapshot();
    task.apply(&cx).await.unwrap();
    assert_eq!(model.snapshot(), first, "{fields:?}");
}

/// Whether this process has the privileges of root.
///
/// If not, reports that `test` is skipped, also in the file that `CONVERGE_TEST_SKIP_REPORT` names.
///
/// # Panics
///
/// Panics if a temporary file cannot be created, or if the report cannot be written.
pub fn is_root(test: &str) -> bool {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    if file.as_file().metadata().expect("it exists").uid() == 0 {
        return true;
    }
    let line = format!("{test}: only root can change owners");
    println!("skipped {line}");
    #[expect(clippy::disallowed_methods, reason = "the report is a file of the test run, not of a resource")]
    if let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") {
        let mut report = std::fs::File::options().create(true).append(true).open(report).expect("the report");
        writeln!(report, "{line}").expect("the report can be written");
    }
    false
}
