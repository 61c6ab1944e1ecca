//! The traits of a resource: [`Preparer`], which is derived, and the traits that its author writes.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::app_state::Need;
use crate::context::Context;
use crate::error::Result;
use crate::export::Export;
use crate::status::Status;
use crate::types::check::Fields;
use crate::types::footprint::{Footprint, Reach};
use crate::types::id::NodeId;
use crate::types::schema::{BlockKind, FieldNames, Schema, find_field};
use crate::types::value::{FieldError, FieldErrorKind, PathSegment, Value, ValuePath};

/// The **derived** part of a resource: its name, its fields and their conversion.
///
/// `#[derive(Preparer)]` implements it. The part that an author writes is [`Resource`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `Preparer`",
    label = "not prepared from a module",
    note = "write `#[derive(Preparer)]` and `#[preparer(name = \"..\", task = ..)]` on the type"
)]
pub trait Preparer: Sized + Send + 'static {
    /// The name in modules: `file.owner`.
    const NAME: &'static str;

    /// The task that does the work.
    type Task: Task;

    /// The description of the resource, from the doc comment of its type.
    const DOC: &'static str;

    /// A module that shows the resource in use; empty if there is none.
    ///
    /// `#[preparer(example = "example.hcl")]` reads it from that file, next to the file with the type.
    const EXAMPLE: &'static str = "";

    /// The lock of the type.
    ///
    /// In a run, two resources whose types have the same lock are never applied at once.
    ///
    /// The lock is set with `#[preparer(lock = "apt")]`. See the guide.
    const LOCK: Option<&'static str> = None;

    /// The types of [state](crate::AppState) that a program must provide.
    ///
    /// The types are declared with `#[preparer(needs = Store)]`, or `needs = (Store, Clock)`.
    const NEEDS: &'static [Need] = &[];

    /// The reach of its checks beyond the names in its fields: `#[preparer(reads = "anything")]`.
    ///
    /// `None` if undeclared. The reach is then [`Anything`](Reach::Anything), unless its fields declare a
    /// footprint. See the guide.
    const READS: Option<Reach> = None;

    /// The reach of its changes beyond the names in its fields: `#[preparer(changes = "named")]`.
    const CHANGES: Option<Reach> = None;

    /// The names of the fields, for [`field_error!`](crate::field_error).
    ///
    /// The derive sets them.
    #[doc(hidden)]
    const NAMES: FieldNames = FieldNames::ANY;

    /// Returns the fields and the rules between them.
    fn block() -> BlockKind;

    /// Converts rendered values into the struct.
    ///
    /// The engine calls this. A test of an author calls `testing::prepare`.
    ///
    /// # Errors
    ///
    /// All values that do not fit their field.
    fn from_fields(fields: Fields<'_>) -> Result<Self, Vec<FieldError>>;

    /// Returns the rules that [`Validate`] adds, if any; `#[preparer(validate)]` writes it.
    #[doc(hidden)]
    fn validator() -> Option<Validator<Self>> {
        None
    }

    /// Returns the footprint that [`HasFootprint`] adds, if any; `#[preparer(footprint)]` writes it.
    #[doc(hidden)]
    fn footprinter() -> Option<Footprinter<Self>> {
        None
    }

    /// Returns the function that refreshes the task, if any; `#[preparer(refresh)]` writes it.
    #[doc(hidden)]
    fn refresher() -> Option<Refresher<Self::Task>> {
        None
    }

    /// Returns the function that applies tasks in a batch, if any; `#[preparer(batch)]` writes it.
    #[doc(hidden)]
    fn batcher() -> Option<Batcher<Self::Task>> {
        None
    }

    /// Returns the whole schema, including the exports.
    fn schema() -> Schema {
        let mut schema =
            Schema::new(Self::NAME, Self::DOC, Self::block(), <Self::Task as Export>::export_fields());
        schema.example = Self::EXAMPLE;
        schema
    }
}

/// The part of a resource that its author **writes**.
///
/// `prepare` turns the fields of a module into the [`Task`] that does the work. The part that is derived for
/// the same type is [`Preparer`].
///
/// # Guarantees
///
/// `prepare` is called once per run, after all dependencies of the resource were handled. Every field is
/// rendered, converted and checked. `prepare` is not called while the value of a field is unknown.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "the trait `Resource` is not implemented; `#[derive(Preparer)]` does only the fields",
    note = "implement `converge_core::Resource`: its `prepare` makes the task that checks and applies"
)]
pub trait Resource: Preparer {
    /// Whether its tasks keep a text between runs, with [`Context::keep`].
    const KEEPS: bool = false;

    /// Creates the task.
    ///
    /// # Errors
    ///
    /// If the resource cannot be prepared. It then counts as [`Fatal`](crate::StatusLevel::Fatal).
    fn prepare(
        self,
        cx: &Context,
        renderer: &dyn Renderer,
    ) -> impl Future<Output = Result<Self::Task>> + Send; // an `async fn` without `#[async_trait]`
}

/// Rules about several fields of a resource, which no attribute and no type can express.
///
/// A resource declares them with `#[preparer(.., validate)]`. They are checked when a module is loaded, for
/// each resource whose values are known by then. A mistake is thus found before anything runs. They are
/// checked again for each resource before it is prepared.
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
    /// Checks the fields.
    ///
    /// It reads nothing else: checks of the machine belong to the task.
    ///
    /// # Errors
    ///
    /// All violated rules, each with the field that has to change.
    fn validate(&self) -> Result<(), Vec<FieldError>>;
}

/// The type of [`Validate::validate`].
pub type Validator<R> = fn(&R) -> Result<(), Vec<FieldError>>;

/// The footprint of a resource whose names are made of several fields.
///
/// Use this if attributes of single fields cannot express what the resource manages, needs and touches. A
/// resource declares it with `#[preparer(.., footprint)]`. It is called when all fields are known. Footprints
/// in attributes are known as soon as their field is, so prefer those. See the
/// guide.
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
    /// Adds the names that several fields form together.
    ///
    /// It reads nothing else.
    fn footprint(&self, footprint: &mut Footprint);
}

/// The type of [`HasFootprint::footprint`].
pub type Footprinter<R> = fn(&R, &mut Footprint);

/// Converts values into a resource and checks its own rules.
#[doc(hidden)]
pub fn to_resource<R: Preparer>(fields: Fields<'_>) -> Result<R, Vec<FieldError>> {
    let resource = R::from_fields(fields)?;
    let errors = broken_rules(&resource);
    if errors.is_empty() { Ok(resource) } else { Err(errors) }
}

/// Checks the type's own rules for a resource.
pub(crate) fn broken_rules<R: Preparer>(resource: &R) -> Vec<FieldError> {
    let Some(Err(errors)) = R::validator().map(|validate| validate(resource)) else { return Vec::new() };
    let fields = R::block().fields;
    let is_field = |name: &str| find_field(&fields, name).is_some();
    errors.into_iter().map(|error| check_error_field(error, &is_field)).collect()
}

/// Replaces an error about an unknown field by one that reports the mistake in the code of the type.
///
/// `field_error!` finds such a mistake at compile time.
fn check_error_field(error: FieldError, is_field: &dyn Fn(&str) -> bool) -> FieldError {
    match error.path.0.first() {
        Some(PathSegment::Name(name)) if !is_field(name) => {
            let message = format!(
                "{error} (the error names `{}`, which is not a field: a mistake in the code of this type)",
                error.path
            );
            FieldError { path: ValuePath::default(), kind: FieldErrorKind::Invalid { message } }
        }
        _ => error,
    }
}

/// The work on one thing, which brings it to its declared state.
///
/// # Guarantees
///
/// The engine calls `check`. If the check has changes and the run is an apply, it then calls `apply` and
/// `check` again. Changes that are left after that are an error.
///
/// # Rules
///
/// `check` changes nothing. `apply` changes only what `check` reported. Both go through [`Context::system`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "the trait `Task` is not implemented",
    note = "implement `converge_core::Task` (`check` and `apply`) and derive `Export`"
)]
pub trait Task: Export + Send + 'static {
    /// Finds the differences from the declared state.
    ///
    /// # Errors
    ///
    /// An error has the same effect as [`Status::set_error`] on an empty status.
    fn check(&mut self, cx: &Context, renderer: &dyn Renderer)
    -> impl Future<Output = Result<Status>> + Send; // an `async fn` without `#[async_trait]`

    /// Makes the changes that the check found.
    ///
    /// # Errors
    ///
    /// An error has the same effect as [`Status::set_error`] on the status of the check.
    fn apply(&mut self, cx: &Context) -> impl Future<Output = Result<Status>> + Send; // an `async fn` without `#[async_trait]`
}

/// A task that can be refreshed, like a service that rereads its configuration.
///
/// `on_change_of` in a module requests a refresh. A resource type declares the trait with `#[preparer(..,
/// refresh)]`. See the guide for when the engine calls it.
///
/// # Guarantees
///
/// `refresh` is called only in an apply, after a `check`, and is followed by a `check` of the same task. It
/// is called *at least* once after a change, also if the run that made the change was killed before the
/// refresh.
///
/// # Rules
///
/// A second refresh must do no harm.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be refreshed",
    label = "the trait `Refresh` is not implemented for `{Self}`",
    note = "implement `converge_core::Refresh` for the task, or remove `refresh` from `#[preparer(..)]`"
)]
pub trait Refresh: Task {
    /// Whether a boot of the machine is the refresh.
    ///
    /// A refresh that is owed since before the machine booted is then no longer owed, whoever booted it. Such
    /// a task ends the run with [`Error::Booting`](crate::Error::Booting).
    const BY_BOOT: bool = false;

    /// Refreshes the task.
    ///
    /// # Errors
    ///
    /// An error has the same effect as [`Status::set_error`] on an empty status. The refresh is then still
    /// owed, and the next apply performs it.
    fn refresh(&mut self, cx: &Context) -> impl Future<Output = Result<Status>> + Send; // an `async fn` without `#[async_trait]`
}

/// The function that refreshes a task of type `T`.
pub struct Refresher<T> {
    refresh: RefreshFn<T>,
    pub(crate) is_by_boot: bool,
}

type RefreshFn<T> =
    for<'a> fn(&'a mut T, &'a Context) -> Pin<Box<dyn Future<Output = Result<Status>> + Send + 'a>>;

impl<T> Refresher<T> {
    /// Creates the refresher from the [`Refresh`] of the task type.
    pub fn for_task() -> Self
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

/// A task that can be applied in a batch with others of its type.
///
/// For example, one call of the package manager installs several packages faster, and in one transaction. A
/// resource type declares the trait with `#[preparer(.., batch)]`. See the
/// guide for which tasks form a batch.
///
/// # Guarantees
///
/// - The guarantees of [`Task::apply`] hold for each member: its `check` found changes, and another `check`
///   follows.
/// - Members are in the order of their ids, and all have the same `timeout`.
/// - The future is dropped when the run is cancelled or the `timeout` is over.
/// - A single resource, or one with a due refresh, is applied with [`Task::apply`].
///
/// # Rules
///
/// There is one result per member, in their order. Any other number of results is an error of all members. A
/// failure of one member must not keep the others from being applied. The final state of the machine must not
/// depend on whether tasks are applied together or one by one;
/// `laws::check_batch` tests that.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be applied in a batch",
    label = "the trait `Batch` is not implemented for `{Self}`",
    note = "implement `converge_core::Batch` for the task, or remove `batch` from `#[preparer(..)]`"
)]
pub trait Batch: Task {
    /// The maximum number of members in a batch.
    ///
    /// Set this if members hold something until the batch is done, such as open files. Further members form
    /// further batches, in the order of their ids. A full batch does not wait for the checks of later ids.
    /// A batch begins only while fewer members of the type than this are being applied.
    const AT_MOST: usize = usize::MAX;

    /// Makes the changes that the checks of the members found.
    fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> impl Future<Output = Vec<Result<Status>>> + Send
    where
        Self: Sized; // an `async fn` without `#[async_trait]`
}

/// The function that applies tasks of type `T` in a batch.
pub struct Batcher<T> {
    apply: BatchFn<T>,
    at_most: usize,
}

type BatchFn<T> = for<'a, 't> fn(
    &'a mut [&'t mut T],
    &'a Context,
) -> Pin<Box<dyn Future<Output = Vec<Result<Status>>> + Send + 'a>>;

impl<T> Batcher<T> {
    /// Creates the batcher from the [`Batch`] of the task type.
    pub fn for_task() -> Self
    where
        T: Batch,
    {
        Self { apply: |batch, cx| Box::pin(T::apply_batch(batch, cx)), at_most: T::AT_MOST }
    }

    pub(crate) fn at_most(&self) -> usize {
        self.at_most
    }

    #[doc(hidden)]
    pub async fn call(&self, batch: &mut [&mut T], cx: &Context) -> Vec<Result<Status>> {
        (self.apply)(batch, cx).await
    }
}

impl<T> fmt::Debug for Batcher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batcher<{}>", std::any::type_name::<T>())
    }
}

/// A renderer of templates, with the values that the current resource may read.
///
/// Fields are rendered before `prepare` is called. This is only for text from elsewhere.
pub trait Renderer: Send + Sync {
    /// Returns the id of the resource that is being prepared or checked.
    fn id(&self) -> &NodeId;

    /// Renders `template`; `name` identifies it in messages.
    ///
    /// The text is in [`Value::as_str`]. The result is [`Value::Unknown`] if it depends on a value that is
    /// known only after an apply. It is [`Value::Secret`] if it contains a secret.
    ///
    /// # Errors
    ///
    /// If the template cannot be parsed or executed, or looks up something that is not a dependency.
    fn render(&self, name: &str, template: &str) -> Result<Value>;
}
