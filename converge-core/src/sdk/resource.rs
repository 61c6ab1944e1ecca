//! The traits of a resource: [`Preparer`], which is derived, and those that its author writes.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::sdk::app_state::Need;
use crate::sdk::context::Context;
use crate::sdk::error::Result;
use crate::sdk::export::Export;
use crate::sdk::status::Status;
use crate::types::check::Fields;
use crate::types::footprint::{Footprint, Reach};
use crate::types::id::NodeId;
use crate::types::schema::{BlockKind, FieldNames, Schema, find_field};
use crate::types::value::{FieldError, FieldErrorKind, PathSegment, Value, ValuePath};

/// The part of a resource that is **derived**: its name, its fields, and how they come out of a module. `#[derive(Preparer)]`
/// implements it; what an author writes is [`Resource`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `Preparer`",
    label = "not prepared from a module",
    note = "write `#[derive(Preparer)]` and `#[preparer(name = \"..\", task = ..)]` on the type"
)]
pub trait Preparer: Sized + Send + 'static {
    /// The name in modules: `file.owner`.
    const NAME: &'static str;

    /// What does the work.
    type Task: Task;

    /// What the resource does, from the doc comment of its type.
    const DOC: &'static str;

    /// A module that shows the resource at work; empty when there is none. `#[preparer(example = "example.hcl")]` takes it
    /// from that file, which stands beside the one with the type.
    const EXAMPLE: &'static str = "";

    /// The lock of the type: in a run, no two resources whose types have the same lock are applied at once.
    /// `#[preparer(lock = "apt")]` says it. See the [guide](crate::guide::locks).
    const LOCK: Option<&'static str> = None;

    /// The types of [state](crate::AppState) that a program has to give it: `#[preparer(needs = Store)]`, or
    /// `needs = (Store, Clock)`.
    const NEEDS: &'static [Need] = &[];

    /// How far its checks look beyond the things that its fields name: `#[preparer(reads = "anything")]`.
    ///
    /// `None` when nothing is said: then that is [`Anything`](Reach::Anything), unless its fields say what they name. See the
    /// [guide](crate::guide::footprints).
    const READS: Option<Reach> = None;

    /// How far its changes go beyond the things that its fields name, in the same way: `#[preparer(changes = "named")]`.
    const CHANGES: Option<Reach> = None;

    /// The names of the fields, for [`field_error!`](crate::field_error); written by the derive.
    #[doc(hidden)]
    const NAMES: FieldNames = FieldNames::ANY;

    /// The fields and the rules between them.
    fn block() -> BlockKind;

    /// Takes the rendered values into the struct. The engine calls it; a test of an author calls `testing::prepare`.
    ///
    /// # Errors
    ///
    /// Every value that does not fit its field.
    fn from_fields(fields: Fields<'_>) -> Result<Self, Vec<FieldError>>;

    /// The rules that [`Validate`] adds, when there are any; `#[preparer(validate)]` writes it.
    #[doc(hidden)]
    fn validator() -> Option<Validator<Self>> {
        None
    }

    /// What [`HasFootprint`] adds, when there is something; `#[preparer(footprint)]` writes it.
    #[doc(hidden)]
    fn footprinter() -> Option<Footprinter<Self>> {
        None
    }

    /// How the task is refreshed, when it can be; `#[preparer(refresh)]` writes it.
    #[doc(hidden)]
    fn refresher() -> Option<Refresher<Self::Task>> {
        None
    }

    /// How tasks are applied together, when they can be; `#[preparer(batch)]` writes it.
    #[doc(hidden)]
    fn batcher() -> Option<Batcher<Self::Task>> {
        None
    }

    /// The whole description, exports included.
    fn schema() -> Schema {
        let mut schema =
            Schema::new(Self::NAME, Self::DOC, Self::block(), <Self::Task as Export>::export_fields());
        schema.example = Self::EXAMPLE;
        schema
    }
}

/// The part of a resource that its author **writes**: `prepare` turns the fields of a module into the [`Task`] that does the
/// work. What is derived for the same type is [`Preparer`].
///
/// # Guarantees
///
/// `prepare` is called once for each run, after everything that the resource depends on has been
/// handled, with every field rendered, converted and checked. It is not called while a field's value is
/// unknown.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "the trait `Resource` is not implemented; `#[derive(Preparer)]` does only the fields",
    note = "implement `converge_core::Resource`: its `prepare` makes the task that checks and applies"
)]
pub trait Resource: Preparer {
    /// Whether its tasks keep something from run to run, with [`Context::keep`].
    const KEEPS: bool = false;

    /// Makes the task.
    ///
    /// # Errors
    ///
    /// What cannot be prepared. The resource then counts as [`Fatal`](crate::StatusLevel::Fatal).
    fn prepare(
        self,
        cx: &Context,
        renderer: &dyn Renderer,
    ) -> impl Future<Output = Result<Self::Task>> + Send; // an `async fn` without `#[async_trait]`
}

/// Rules about the fields of a resource that no attribute and no type can say, because they are about several of them.
///
/// A resource says that it has such rules with `#[preparer(.., validate)]`. They are applied when a module is loaded, to each
/// resource whose values are known by then, so that a mistake is found before anything runs; and to every resource before it
/// is prepared.
///
/// ```
/// use converge_core::prelude::*;
/// use converge_core::value::FieldError;
///
/// /// A range of ports.
/// #[derive(Debug, Preparer)]
/// #[preparer(name = "ports", task = Nothing, validate, register = false)]
/// struct Ports {
///     /// The first.
///     first: u16,
///     /// The last.
///     last: u16,
/// }
///
/// impl Validate for Ports {
///     fn validate(&self) -> Result<(), Vec<FieldError>> {
///         if self.first <= self.last {
///             return Ok(());
///         }
///         // The field is looked for when this is compiled.
///         Err(vec![field_error!("last", "the last port comes before the first, which is {}", self.first)])
///     }
/// }
/// # /// Nothing.
/// # #[derive(Debug, Export)]
/// # struct Nothing {}
/// # impl Task for Nothing {
/// #     async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> { Ok(Status::new()) }
/// #     async fn apply(&mut self, _: &Context) -> Result<Status> { Ok(Status::new()) }
/// # }
/// # impl Resource for Ports {
/// #     async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Nothing> { Ok(Nothing {}) }
/// # }
///
/// assert!(Ports { first: 80, last: 79 }.validate().is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rules of its own",
    label = "the trait `Validate` is not implemented for `{Self}`",
    note = "implement `converge_core::Validate` for the resource, or remove `validate` from `#[preparer(..)]`"
)]
pub trait Validate: Preparer {
    /// Looks at the fields. It reads nothing else: what depends on the machine is for the check of the task.
    ///
    /// # Errors
    ///
    /// Each rule that is broken, with the field that has to be written differently.
    fn validate(&self) -> Result<(), Vec<FieldError>>;
}

/// [`Validate::validate`] of a type.
pub type Validator<R> = fn(&R) -> Result<(), Vec<FieldError>>;

/// What a resource manages, needs and touches, where the attributes of its fields cannot say it, because the name of a thing is
/// made of several fields.
///
/// A resource says that it has this with `#[preparer(.., footprint)]`. It is asked when all fields are known; what attributes
/// say is known as soon as their field is, so prefer those. See the [guide](crate::guide::footprints).
///
/// ```
/// use converge_core::footprint::Footprint;
/// use converge_core::prelude::*;
///
/// /// A table of a database.
/// #[derive(Debug, Preparer)]
/// #[preparer(name = "table", task = Nothing, footprint, register = false)]
/// struct Table {
///     /// The database.
///     #[hcl(needs = "database")]
///     database: String,
///     /// The table.
///     name: String,
/// }
///
/// impl HasFootprint for Table {
///     fn footprint(&self, footprint: &mut Footprint) {
///         footprint.manages("table", &format!("{}.{}", self.database, self.name));
///     }
/// }
/// # /// Nothing.
/// # #[derive(Debug, Export)]
/// # struct Nothing {}
/// # impl Task for Nothing {
/// #     async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> { Ok(Status::new()) }
/// #     async fn apply(&mut self, _: &Context) -> Result<Status> { Ok(Status::new()) }
/// # }
/// # impl Resource for Table {
/// #     async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Nothing> { Ok(Nothing {}) }
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no footprint of its own",
    label = "the trait `HasFootprint` is not implemented for `{Self}`",
    note = "implement `converge_core::HasFootprint` for the resource, or remove `footprint` from `#[preparer(..)]`"
)]
pub trait HasFootprint: Preparer {
    /// Adds what its fields together name. It reads nothing else.
    fn footprint(&self, footprint: &mut Footprint);
}

/// [`HasFootprint::footprint`] of a type.
pub type Footprinter<R> = fn(&R, &mut Footprint);

/// The values as a resource, when they break none of its rules.
pub(crate) fn resource_of<R: Preparer>(fields: Fields<'_>) -> Result<R, Vec<FieldError>> {
    let resource = R::from_fields(fields)?;
    let errors = broken_rules(&resource);
    if errors.is_empty() { Ok(resource) } else { Err(errors) }
}

/// The rules of the type itself that a resource breaks.
pub(crate) fn broken_rules<R: Preparer>(resource: &R) -> Vec<FieldError> {
    let Some(Err(errors)) = R::validator().map(|validate| validate(resource)) else { return Vec::new() };
    let fields = R::block().fields;
    let is_field = |name: &str| find_field(&fields, name).is_some();
    errors.into_iter().map(|error| of_a_field(error, &is_field)).collect()
}

/// An error about a field that there is not has no place in a module: it says so. `field_error!` finds that when it is compiled.
fn of_a_field(error: FieldError, is_field: &dyn Fn(&str) -> bool) -> FieldError {
    match error.path.0.first() {
        Some(PathSegment::Name(name)) if !is_field(name) => {
            let message = format!(
                "{error} (said of `{}`, which is not a field: a mistake in the code of this type)",
                error.path
            );
            FieldError { path: ValuePath::default(), kind: FieldErrorKind::Invalid { message } }
        }
        _ => error,
    }
}

/// Brings one thing to its declared state.
///
/// # Guarantees
///
/// The engine calls `check`, then `apply` only when the check has changes and the run is an apply, then
/// `check` again; changes that are left then are an error.
///
/// # Rules
///
/// `check` changes nothing. `apply` changes only what `check` reported. Both go through
/// [`Context::system`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "the trait `Task` is not implemented",
    note = "implement `converge_core::Task` (`check` and `apply`) and derive `Export`"
)]
pub trait Task: Export + Send + 'static {
    /// Finds out what differs from the declared state.
    ///
    /// # Errors
    ///
    /// The same as [`Status::set_error`] on an empty status.
    fn check(&mut self, cx: &Context, renderer: &dyn Renderer)
    -> impl Future<Output = Result<Status>> + Send; // an `async fn` without `#[async_trait]`

    /// Makes the changes that the check found.
    ///
    /// # Errors
    ///
    /// The same as [`Status::set_error`] on the status of the check.
    fn apply(&mut self, cx: &Context) -> impl Future<Output = Result<Status>> + Send; // an `async fn` without `#[async_trait]`
}

/// A task that can be refreshed: made to take notice of something that it was not declared with, as a service
/// that reads its configuration anew. `on_change_of` in a module asks for it.
///
/// A resource type says that its task has this with `#[preparer(.., refresh)]`. See the
/// [guide](crate::guide::refresh) for when the engine calls it.
///
/// # Guarantees
///
/// `refresh` is called only in an apply, after a `check`, and followed by a `check` of the same task. It is called
/// *at least* once after a change, also when the run that made the change was killed before it came so far.
///
/// # Rules
///
/// To refresh twice must do no harm.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be refreshed",
    label = "the trait `Refresh` is not implemented for `{Self}`",
    note = "implement `converge_core::Refresh` for the task, or remove `refresh` from `#[preparer(..)]`"
)]
pub trait Refresh: Task {
    /// Whether a boot of the machine is what the refresh is about: one that is owed since before the machine booted is then owed no more, whoever
    /// booted it. A task for which this holds ends the run by [`Error::Booting`](crate::Error::Booting).
    const BY_BOOT: bool = false;

    /// Takes notice of the change.
    ///
    /// # Errors
    ///
    /// The same as [`Status::set_error`] on an empty status. The refresh is then still owed, and is made by the
    /// next apply.
    fn refresh(&mut self, cx: &Context) -> impl Future<Output = Result<Status>> + Send; // an `async fn` without `#[async_trait]`
}

/// How a task of type `T` is refreshed.
pub struct Refresher<T> {
    refresh: RefreshFn<T>,
    pub(crate) is_by_boot: bool,
}

type RefreshFn<T> =
    for<'a> fn(&'a mut T, &'a Context) -> Pin<Box<dyn Future<Output = Result<Status>> + Send + 'a>>;

impl<T> Refresher<T> {
    /// By its [`Refresh`].
    pub fn of() -> Self
    where
        T: Refresh,
    {
        Self { refresh: |task, cx| Box::pin(task.refresh(cx)), is_by_boot: T::BY_BOOT }
    }

    pub(crate) async fn call(&self, task: &mut T, cx: &Context) -> Result<Status> {
        (self.refresh)(task, cx).await
    }
}

impl<T> fmt::Debug for Refresher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refresher<{}>", std::any::type_name::<T>())
    }
}

/// A task that can be applied together with others of its type: packages, which one call of the package manager
/// installs faster, and in one transaction.
///
/// A resource type says that its task has this with `#[preparer(.., batch)]`. See the
/// [guide](crate::guide::locks#batches) for which tasks come together.
///
/// # Guarantees
///
/// For each member the same as for [`Task::apply`]: its `check` found changes, and another `check` of it follows. Members
/// are in the order of their ids. The future is dropped when the run is cancelled, or when the `timeout` of the members is
/// over; all members of a batch have the same one. A resource that is alone, or for which a refresh is due, is applied with
/// [`Task::apply`].
///
/// # Rules
///
/// There is one result for each member, in their order; any other number of results is an error of all members. What one
/// member cannot have must not keep it from the others. Applied together or one by one, the machine is the same in
/// the end: [`laws::check_batch`](crate::testing::laws::check_batch) tries that out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be applied in a batch",
    label = "the trait `Batch` is not implemented for `{Self}`",
    note = "implement `converge_core::Batch` for the task, or remove `batch` from `#[preparer(..)]`"
)]
pub trait Batch: Task {
    /// The most members of one batch: a type whose members hold something until the batch is done, such as open files,
    /// says how many may. More that are ready are further batches, in the order of their ids.
    const AT_MOST: usize = usize::MAX;

    /// Makes the changes that the checks of the members found.
    fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> impl Future<Output = Vec<Result<Status>>> + Send
    where
        Self: Sized; // an `async fn` without `#[async_trait]`
}

/// How tasks of type `T` are applied together.
pub struct Batcher<T> {
    apply: BatchFn<T>,
    at_most: usize,
}

type BatchFn<T> = for<'a, 't> fn(
    &'a mut [&'t mut T],
    &'a Context,
) -> Pin<Box<dyn Future<Output = Vec<Result<Status>>> + Send + 'a>>;

impl<T> Batcher<T> {
    /// By its [`Batch`].
    pub fn of() -> Self
    where
        T: Batch,
    {
        Self { apply: |batch, cx| Box::pin(T::apply_batch(batch, cx)), at_most: T::AT_MOST }
    }

    pub(crate) fn at_most(&self) -> usize {
        self.at_most
    }

    pub(crate) async fn call(&self, batch: &mut [&mut T], cx: &Context) -> Vec<Result<Status>> {
        (self.apply)(batch, cx).await
    }
}

impl<T> fmt::Debug for Batcher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batcher<{}>", std::any::type_name::<T>())
    }
}

/// Renders templates with the values that the resource at hand may see.
///
/// Fields are rendered before `prepare` is called, so this is only for text that comes from elsewhere.
pub trait Renderer: Send + Sync {
    /// The resource that is being prepared or checked.
    fn id(&self) -> &NodeId;

    /// Renders `template`; `name` is what messages call it.
    ///
    /// The text is in [`Value::as_str`]. The result is [`Value::Unknown`] when it needs something that is only known after apply, and
    /// [`Value::Secret`] when a secret went into it.
    ///
    /// # Errors
    ///
    /// A template that cannot be parsed or executed, or that looks up what is not a dependency.
    fn render(&self, name: &str, template: &str) -> Result<Value>;
}
