//! What the tests share: one resource at a time, run as the engine runs it, and what a person would see
//! of it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;

use converge_core::graph::NodeId;
use converge_core::prelude::*;
use converge_core::schema::Fields;
use converge_core::system::{LocalSystem, ModelSystem};
use converge_core::{RunId, System};

/// The fields of a resource as a module gives them.
pub(crate) type Written<'a> = &'a [(&'static str, Value)];

/// Renders nothing: fields are given as values.
pub(crate) struct NoTemplates(NodeId);

impl NoTemplates {
    pub(crate) fn new() -> Self {
        Self(NodeId::root().child("under.test"))
    }
}

impl Renderer for NoTemplates {
    fn id(&self) -> &NodeId {
        &self.0
    }

    fn render(&self, _name: &str, template: &str) -> Result<Value> {
        Ok(Value::from(template))
    }
}

/// The real machine.
pub(crate) fn local() -> Arc<dyn System> {
    Arc::new(LocalSystem::new())
}

pub(crate) fn context(system: Arc<dyn System>, mode: Mode) -> Context {
    Context::new(system, RunId::new("test"), mode)
}

/// Prepares a resource as the engine does.
pub(crate) async fn prepare<R: Resource>(cx: &Context, written: Written<'_>) -> Result<R::Task> {
    let block = R::block();
    let map = written.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let fields = Fields::from_map(&block.fields, map);
    R::from_fields(fields)?.prepare(cx, &NoTemplates::new()).await
}

/// What a plan says.
pub(crate) async fn plan<R: Resource>(system: &Arc<dyn System>, written: Written<'_>) -> String {
    check_in::<R>(&context(Arc::clone(system), Mode::Plan), written).await
}

/// What a plan says when something that the resource depends on has changes.
pub(crate) async fn plan_pending<R: Resource>(system: &Arc<dyn System>, written: Written<'_>) -> String {
    let pending = [NodeId::root().child("task.first")];
    check_in::<R>(&context(Arc::clone(system), Mode::Plan).with_pending(pending), written).await
}

async fn check_in<R: Resource>(cx: &Context, written: Written<'_>) -> String {
    let checked = match prepare::<R>(cx, written).await {
        Ok(mut task) => task.check(cx, &NoTemplates::new()).await,
        Err(error) => Err(error),
    };
    show(&checked)
}

/// What an apply says: the check, what the apply itself says, and anything but a good end.
pub(crate) async fn apply<R: Resource>(system: &Arc<dyn System>, written: Written<'_>) -> String {
    let cx = context(Arc::clone(system), Mode::Apply);
    let mut task = match prepare::<R>(&cx, written).await {
        Ok(task) => task,
        Err(error) => return show(&Err(error)),
    };
    apply_task(&cx, &mut task).await
}

/// As [`apply`], with a task that the test goes on with.
pub(crate) async fn apply_task(cx: &Context, task: &mut impl Task) -> String {
    let renderer = NoTemplates::new();
    let checked = task.check(cx, &renderer).await;
    let mut shown = show(&checked);
    if !checked.is_ok_and(|status| status.has_changes() && !status.level().halts()) {
        return shown;
    }
    match task.apply(cx).await {
        Ok(applied) => {
            for message in applied.messages() {
                let _ = write!(shown, "\n# {message}");
            }
        }
        Err(error) => {
            let _ = write!(shown, "\nerror: {error}");
            return shown;
        }
    }
    let after = show(&task.check(cx, &renderer).await);
    if after != "no change" {
        let _ = write!(shown, "\nand after apply: {after}");
    }
    shown
}

/// A status as text: the level, differences, messages, warnings, the error.
pub(crate) fn show(checked: &Result<Status>) -> String {
    let status = match checked {
        Ok(status) => status,
        Err(error) => return format!("error: {error}"),
    };
    let mut shown = status.level().to_string();
    for (name, diff) in status.diffs() {
        let _ = write!(shown, "\n{name}: {:?} => {:?}", diff.original(), diff.current());
    }
    for message in status.messages() {
        let _ = write!(shown, "\n# {message}");
    }
    for warning in status.warnings() {
        let _ = write!(shown, "\nwarning: {warning}");
    }
    if let Some(error) = status.error() {
        let _ = write!(shown, "\nerror: {error}");
    }
    shown
}

/// The laws of every resource, on a machine in memory:
/// a check has no effects; an apply leaves nothing to do; applying twice is the same as once; a run that
/// goes down after any of its effects is made good by the next.
pub(crate) async fn obeys_the_laws<R: Resource>(machine: impl Fn() -> ModelSystem, written: Written<'_>) {
    let renderer = NoTemplates::new();
    let model = Arc::new(machine());
    let cx = context(Arc::clone(&model) as Arc<dyn System>, Mode::Apply);
    let mut task = prepare::<R>(&cx, written).await.expect("it can be prepared");

    let status = task.check(&cx, &renderer).await.expect("it can be checked");
    assert_eq!(model.effects(), [], "a check has effects");
    assert!(status.has_changes() && !status.level().halts(), "nothing to try the laws on: {status:?}");

    task.apply(&cx).await.expect("it can be applied");
    let (after, effects) = (model.snapshot(), model.effects().len());
    assert!(effects > 0, "the apply did nothing");
    task.apply(&cx).await.expect("it can be applied again");
    assert_eq!(model.snapshot(), after, "applying twice is not the same as once");

    let mut next = prepare::<R>(&cx, written).await.expect("it can be prepared");
    let shown = show(&next.check(&cx, &renderer).await);
    assert_eq!(shown, "no change", "the apply left something to do");

    for crash in 0..effects {
        let model = Arc::new(machine());
        let system = Arc::clone(&model) as Arc<dyn System>;
        model.fail_after(crash);
        let crashed = apply::<R>(&system, written).await;
        assert!(crashed.contains("crashed"), "it went on after the crash: {crashed}");
        model.restart();
        apply::<R>(&system, written).await;
        assert_eq!(model.snapshot(), after, "a crash after {crash} effects is not made good");
    }
}

/// Whether this process may do what only root can. If not, says that `test` is left out, and adds it to
/// the file that `CONVERGE_TEST_SKIP_REPORT` names.
pub(crate) fn is_root(test: &str) -> bool {
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
