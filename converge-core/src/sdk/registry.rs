//! The resource types that a module can use.

mod builder;
mod definition;
#[cfg(feature = "plugin-host")]
mod described_type;
mod erased_types;
mod plugin_status;

use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;

use crate::sdk::app_state::Need;
use crate::sdk::context::Context;
use crate::sdk::error::Result;
use crate::sdk::resource::{self, Resource, resource_of};
use crate::sdk::status::Status;
use crate::types::check::Fields;
use crate::types::footprint::{Footprint, Reach};
use crate::types::function::{ModuleFunction, ModuleFunctions};
use crate::types::panic_guard::guarded;
use crate::types::schema::{Field, Schema, panicked};
use crate::types::value::{FieldError, Value, ValuePath};

use self::definition::{wrong_default, wrong_names};
use self::erased_types::Prepared;
pub use builder::RegistryBuilder;
#[cfg(feature = "plugin-host")]
pub(crate) use described_type::{Described, MakeResource};
pub use erased_types::{AnyResource, AnyTask};
pub(crate) use plugin_status::{PluginProblem, PluginStanding};

/// One resource type: its description, and how the engine makes resources of it.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the type")]
pub struct ResourceType {
    schema: Schema,
    rust_name: &'static str,
    make: Make,
    rules: Option<Rules>,
    own_footprint: Option<OwnFootprint>,
    has_footprint: bool,
    has_sensitive: bool,
    reads: Reach,
    changes: Reach,
    refreshes: bool,
    is_refreshed_by_boot: bool,
    lock: Option<&'static str>,
    needs: &'static [Need],
    keeps: bool,
    batch: Option<BatchOfType>,
}

/// How tasks of a type are applied together, and how many.
#[derive(Clone, Copy)]
pub(crate) struct BatchOfType {
    pub(crate) apply: ApplyBatch,
    pub(crate) at_most: usize,
}

/// What makes resources of rendered values.
enum Make {
    /// The Rust type.
    Type(Prepare),
    /// What is known by its description alone.
    #[cfg(feature = "plugin-host")]
    Described(Arc<dyn MakeResource>),
}

/// Takes rendered values into a resource of some type.
type Prepare = fn(Fields<'_>) -> Result<Box<dyn AnyResource>, Vec<FieldError>>;

/// Which rules of the type itself are broken.
type Rules = fn(Fields<'_>) -> Vec<FieldError>;

/// Adds what the type itself says about the footprint of a resource with these values.
type OwnFootprint = fn(Fields<'_>, &mut Footprint);

/// Applies tasks of one type together.
pub(crate) type ApplyBatch = for<'a> fn(
    Vec<&'a mut (dyn AnyTask + 'static)>,
    &'a Context,
) -> Pin<Box<dyn Future<Output = Vec<Result<Status>>> + Send + 'a>>;

impl ResourceType {
    /// The type of resource `R`.
    pub fn of<R: Resource>() -> Self {
        let schema = R::schema();
        let has_footprint = R::footprinter().is_some() || schema.fields.iter().any(Field::has_footprint);
        let reach =
            |said: Option<Reach>| said.unwrap_or(if has_footprint { Reach::Named } else { Reach::Anything });
        Self {
            own_footprint: R::footprinter().is_some().then_some(own_footprint::<R> as OwnFootprint),
            has_footprint,
            has_sensitive: schema.fields.iter().any(Field::holds_sensitive),
            reads: reach(R::READS),
            changes: reach(R::CHANGES),
            schema,
            rust_name: type_name::<R>(),
            make: Make::Type(|fields| Ok(Box::new(resource_of::<R>(fields)?))),
            rules: R::validator().is_some().then_some(broken_rules::<R> as Rules),
            refreshes: R::refresher().is_some(),
            is_refreshed_by_boot: R::refresher().is_some_and(|refresher| refresher.is_by_boot),
            lock: R::LOCK,
            needs: R::NEEDS,
            keeps: R::KEEPS,
            batch: R::batcher()
                .map(|batcher| BatchOfType { apply: apply_batch::<R>, at_most: batcher.at_most() }),
        }
    }

    /// A type that is known by its description alone.
    #[cfg(feature = "plugin-host")]
    pub(crate) fn described(described: Described) -> Self {
        let Described { schema, owner, refreshes, lock, reads, changes, maker } = described;
        let has_footprint = schema.fields.iter().any(Field::has_footprint);
        let reach =
            |said: Option<Reach>| said.unwrap_or(if has_footprint { Reach::Named } else { Reach::Anything });
        Self {
            has_footprint,
            has_sensitive: schema.fields.iter().any(Field::holds_sensitive),
            reads: reach(reads),
            changes: reach(changes),
            schema,
            rust_name: owner,
            make: Make::Described(maker),
            rules: None,
            own_footprint: None,
            refreshes,
            is_refreshed_by_boot: false,
            lock,
            needs: &[],
            keeps: false,
            batch: None,
        }
    }

    /// Its description.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The name in modules.
    pub fn name(&self) -> &'static str {
        self.schema.name
    }

    /// The path of the Rust type.
    pub fn rust_name(&self) -> &'static str {
        self.rust_name
    }

    /// Whether it has [rules of its own](crate::Validate).
    pub fn validates(&self) -> bool {
        self.rules.is_some()
    }

    /// The rules of its own that are broken by values of which each by itself is right.
    pub(crate) fn broken_rules(&self, values: Vec<Option<Value>>) -> Vec<FieldError> {
        let Some(rules) = self.rules else { return Vec::new() };
        guarded(|| rules(self.fields(values)))
            .unwrap_or_else(|panic| vec![FieldError { path: ValuePath::default(), kind: panicked(&panic) }])
    }

    fn fields(&self, values: Vec<Option<Value>>) -> Fields<'_> {
        Fields::new(&self.schema.fields, &self.schema.rules, values)
    }

    /// Whether its resources say what they manage, need or touch.
    pub fn has_footprint(&self) -> bool {
        self.has_footprint
    }

    /// Whether one of its fields is sensitive, or something in one.
    pub(crate) fn has_sensitive(&self) -> bool {
        self.has_sensitive
    }

    /// Whether a method of the type adds to what the fields say of the footprint.
    pub(crate) fn has_own_footprint(&self) -> bool {
        self.own_footprint.is_some()
    }

    /// How far its checks look beyond the things that its resources name.
    pub fn reads(&self) -> Reach {
        self.reads
    }

    /// How far its changes go beyond the things that its resources name.
    pub fn changes(&self) -> Reach {
        self.changes
    }

    /// What a resource of these values manages, needs and touches. `value` gives the value of the field of an index, as far as
    /// it is known, and nothing where none is written. What is not known names nothing, and makes the footprint
    /// [partial](Footprint::partial).
    pub fn footprint(&self, mut value: impl FnMut(usize) -> Option<Value>) -> Footprint {
        if !self.has_footprint {
            return Footprint::new();
        }
        let mut footprint = Footprint::of_fields(&self.schema.fields, &mut value);
        if let Some(own) = self.own_footprint {
            let values: Vec<_> = (0..self.schema.fields.len()).map(value).collect();
            if values.iter().flatten().any(|value| value.find_unknown().is_some()) {
                footprint.partial = true;
            } else {
                own(self.fields(values), &mut footprint);
            }
        }
        footprint
    }

    /// Whether its tasks can be [refreshed](crate::Refresh), which is what `on_change_of` needs.
    pub fn refreshes(&self) -> bool {
        self.refreshes
    }

    /// Whether a boot of the machine is a refresh of its tasks: see [`Refresh::BY_BOOT`](crate::Refresh::BY_BOOT).
    pub fn is_refreshed_by_boot(&self) -> bool {
        self.is_refreshed_by_boot
    }

    /// The [lock](crate::Preparer::LOCK) of the type.
    pub fn lock(&self) -> Option<&'static str> {
        self.lock
    }

    /// The types of [state](crate::AppState) that a program has to give it.
    pub fn needs(&self) -> &'static [Need] {
        self.needs
    }

    /// Whether its resources [keep](crate::Resource::KEEPS) something from run to run.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Whether its tasks are applied [together](crate::Batch).
    pub fn batches(&self) -> bool {
        self.batch.is_some()
    }

    pub(crate) fn batch(&self) -> Option<BatchOfType> {
        self.batch
    }

    /// Takes rendered values, by the index of their field, into a resource.
    ///
    /// # Errors
    ///
    /// Every value that does not fit, and every rule between fields that is broken.
    pub fn from_values(&self, values: Vec<Option<Value>>) -> Result<Box<dyn AnyResource>, Vec<FieldError>> {
        match &self.make {
            Make::Type(prepare) => prepare(self.fields(values)),
            #[cfg(feature = "plugin-host")]
            Make::Described(maker) => described_type::make(&self.schema, &**maker, values),
        }
    }
}

impl fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceType({} = {})", self.schema.name, self.rust_name)
    }
}

/// The rules of `R` itself; none where the values are not even a resource.
fn broken_rules<R: Resource>(fields: Fields<'_>) -> Vec<FieldError> {
    // A conversion that panics is a mistake of its field.
    let Ok(Ok(resource)) = guarded(|| R::from_fields(fields)) else { return Vec::new() };
    resource::broken_rules(&resource)
}

/// What `R` itself says about its footprint; nothing where the values are not even a resource.
fn own_footprint<R: Resource>(fields: Fields<'_>, footprint: &mut Footprint) {
    if let (Some(add), Ok(resource)) = (R::footprinter(), R::from_fields(fields)) {
        add(&resource, footprint);
    }
}

/// Applies tasks of `R` together. Of a task that is none of `R` there is no result.
fn apply_batch<'a, R: Resource>(
    tasks: Vec<&'a mut (dyn AnyTask + 'static)>,
    cx: &'a Context,
) -> Pin<Box<dyn Future<Output = Vec<Result<Status>>> + Send + 'a>> {
    Box::pin(async move {
        let Some(batcher) = R::batcher() else { return Vec::new() };
        let task = |task: &'a mut (dyn AnyTask + 'static)| {
            let prepared = task.as_any_mut().downcast_mut::<Prepared<R::Task>>();
            prepared.map(|prepared| &mut prepared.task)
        };
        let mut tasks: Vec<&mut R::Task> = tasks.into_iter().filter_map(task).collect();
        batcher.call(&mut tasks, cx).await
    })
}

/// Names that the module language has for itself.
const RESERVED: [&str; 5] = ["module", "output", "param", "plugin", "switch"];

/// A resource type that registers itself; `#[derive(Preparer)]` submits one.
#[derive(Debug)]
pub struct Registration {
    resource_type: fn() -> ResourceType,
}

impl Registration {
    /// Registers `R`.
    pub const fn of<R: Resource>() -> Self {
        Self { resource_type: ResourceType::of::<R> }
    }
}

inventory::collect!(Registration);

/// A set of resource types could not be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two Rust types want one name.
    #[error(
        "two resource types are named `{name}`: {first} and {second}; give one of them another name in its \
         `#[preparer(name = \"..\")]`, or register only one"
    )]
    Duplicate {
        /// The name in modules.
        name: &'static str,
        /// The type that had it.
        first: &'static str,
        /// The type that wanted it too.
        second: &'static str,
    },
    /// The module language has that name for itself.
    #[error(
        "`{name}` belongs to the module language: {rust_name} needs another name in its `#[preparer(name = \"..\")]`"
    )]
    Reserved {
        /// The name in modules.
        name: &'static str,
        /// The type that wanted it.
        rust_name: &'static str,
    },
    /// A function cannot be added.
    #[error("the function `{name}` cannot be added: {problem}")]
    Function {
        /// The name.
        name: &'static str,
        /// Why.
        problem: String,
    },
    /// Several refusals of a [`RegistryBuilder`].
    #[error("{}", lines(.0))]
    Several(Vec<RegistryError>),
    /// The description of a type contradicts itself.
    #[error("the definition of `{name}` ({rust_name}) is wrong: {problem}")]
    Definition {
        /// The name in modules.
        name: &'static str,
        /// The Rust type.
        rust_name: &'static str,
        /// What is wrong.
        problem: String,
    },
}

impl RegistryError {
    /// All of them as one; `None` when there are none.
    fn of(mut errors: Vec<Self>) -> Option<Self> {
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(errors)),
        }
    }
}

fn lines(errors: &[RegistryError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The resource types that a program knows, by name. `param`, `module` and `switch` are not among them: the module language
/// brings these itself.
///
/// Nothing is global: put together what you want with [`with`](Self::with), or take every type that is
/// linked into the program with [`automatic`](Self::automatic).
#[derive(Clone, Debug, Default)]
pub struct Registry {
    identity: RegistryIdentity,
    types: BTreeMap<&'static str, Arc<ResourceType>>,
    functions: ModuleFunctions,
    /// What programs that have these types were built with, and this one was not.
    absent: BTreeMap<&'static str, &'static str>,
    /// The plugins that modules name, as far as somebody has tried to start them.
    plugins: plugin_status::Named,
}

/// What tells registries apart. One that is added to is another one, and a clone is the same one.
#[derive(Clone, Default)]
pub(crate) struct RegistryIdentity(Arc<()>);

impl PartialEq for RegistryIdentity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for RegistryIdentity {}

impl Hash for RegistryIdentity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Debug for RegistryIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryIdentity").finish_non_exhaustive()
    }
}

impl Registry {
    /// Says what became of a plugin that a module names: that it was started, or why it was not. Of one of which nothing is said a
    /// module must not name it.
    #[cfg(feature = "plugin-host")]
    pub(crate) fn with_plugin(mut self, name: &str, sha256: &str, problem: Option<PluginProblem>) -> Self {
        self.plugins.insert((name.to_owned(), sha256.to_ascii_lowercase()), problem);
        self.identity = RegistryIdentity::default();
        self
    }

    /// What became of a plugin of this name and SHA-256.
    pub(crate) fn plugin(&self, name: &str, sha256: &str) -> PluginStanding<'_> {
        match self.plugins.get(&(name.to_owned(), sha256.to_ascii_lowercase())) {
            None => PluginStanding::Unknown,
            Some(None) => PluginStanding::Started,
            Some(Some(problem)) => PluginStanding::Refused(problem),
        }
    }

    /// What tells it apart from others.
    pub(crate) fn identity(&self) -> &RegistryIdentity {
        &self.identity
    }

    /// No types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every type that is linked into the program and registers itself.
    ///
    /// A crate that is never named in the program's code is not linked: write `use its_crate as _;`.
    ///
    /// # Errors
    ///
    /// Types of one name.
    pub fn automatic() -> Result<Self, RegistryError> {
        let mut found: Vec<ResourceType> = inventory::iter::<Registration>
            .into_iter()
            .map(|registration| (registration.resource_type)())
            .collect();
        // The linker's order is nobody's choice; the message about duplicates must not depend on it.
        found.sort_by_key(|resource_type| (resource_type.name(), resource_type.rust_name()));
        let mut registry = Self::new();
        let refused = found.into_iter().filter_map(|found| registry.insert(found).err()).collect();
        RegistryError::of(refused).map_or(Ok(registry), Err)
    }

    /// Adds a type.
    ///
    /// # Errors
    ///
    /// A type of the same name is there already, the name belongs to the language, or the type's definition contradicts
    /// itself.
    pub fn with<R: Resource>(mut self) -> Result<Self, RegistryError> {
        self.insert(ResourceType::of::<R>())?;
        Ok(self)
    }

    pub(crate) fn insert(&mut self, new: ResourceType) -> Result<(), RegistryError> {
        if RESERVED.contains(&new.name()) {
            return Err(RegistryError::Reserved { name: new.name(), rust_name: new.rust_name() });
        }
        if let Some(have) = self.types.get(new.name()) {
            return Err(RegistryError::Duplicate {
                name: new.name(),
                first: have.rust_name(),
                second: new.rust_name(),
            });
        }
        let problem = wrong_default(&new.schema.fields, "").or_else(|| wrong_names(&new.schema));
        if let Some(problem) = problem {
            return Err(RegistryError::Definition { name: new.name(), rust_name: new.rust_name(), problem });
        }
        self.types.insert(new.name(), Arc::new(new));
        self.identity = RegistryIdentity::default();
        Ok(())
    }

    /// Adds a function that modules can call, in templates and in expressions.
    ///
    /// # Errors
    ///
    /// There is a function of that name, the language has the name for itself, it is no name, or the function has no
    /// documentation.
    pub fn with_function(mut self, function: ModuleFunction) -> Result<Self, RegistryError> {
        self.insert_function(function)?;
        Ok(self)
    }

    fn insert_function(&mut self, function: ModuleFunction) -> Result<(), RegistryError> {
        let name = function.name();
        let refuse = |problem: String| Err(RegistryError::Function { name, problem });
        if let Some(problem) = function.problem() {
            return refuse(problem);
        }
        if !self.functions.insert(function) {
            return refuse("it is there already".to_owned());
        }
        self.identity = RegistryIdentity::default();
        Ok(())
    }

    /// The functions that modules can call beside those of the language.
    pub fn functions(&self) -> &ModuleFunctions {
        &self.functions
    }

    /// Says of a type that is left out of this program what it needs to be there, so that a module that uses it gets
    /// a better error than that there is no such type.
    ///
    /// ```
    /// use converge_core::{Registry, load::Loader};
    ///
    /// let registry = Registry::new().with_absent("docker.image", "the feature `docker`");
    /// let loaded = Loader::new(&registry).load_text("web.hcl", r#"docker.image "web" { name = "web" }"#);
    /// let mistake = loaded.diagnostics.iter().next().ok_or("there is one")?;
    /// assert_eq!(mistake.message, "`docker.image` is left out of this program");
    /// assert_eq!(mistake.help.as_deref(), Some("it needs the feature `docker`, without which this program was built"));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn with_absent(mut self, name: &'static str, needs: &'static str) -> Self {
        self.absent.insert(name, needs);
        self.identity = RegistryIdentity::default();
        self
    }

    /// What a type needs that is left out of this program; `None` of a type that is there, or that nobody knows.
    pub fn absent(&self, name: &str) -> Option<&'static str> {
        if self.types.contains_key(name) { None } else { self.absent.get(name).copied() }
    }

    /// The type of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<ResourceType>> {
        self.types.get(name)
    }

    /// All types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ResourceType>> {
        self.types.values()
    }
}

#[cfg(test)]
mod tests;
