//! The registry of resource types that a module can use.

mod builder;
mod definition;
mod described_type;
mod erased_types;
mod plugin_status;
mod registry_error;

use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;

use crate::app_state::Need;
use crate::context::Context;
use crate::error::Result;
use crate::resource::{self, Resource, to_resource};
use crate::status::Status;
use crate::types::check::Fields;
use crate::types::footprint::{Footprint, Reach, Verb};
use crate::types::function::{ModuleFunction, ModuleFunctions};
use crate::types::panic_guard::guarded;
use crate::types::schema::{Field, Schema, panicked};
use crate::types::value::{FieldError, Value, ValuePath};

use self::definition::{wrong_default, wrong_names};
use self::erased_types::Prepared;
pub use builder::RegistryBuilder;
#[doc(hidden)]
pub use described_type::{Described, MakeResource};
pub use erased_types::{AnyResource, AnyTask};
#[doc(hidden)]
pub use plugin_status::{PluginProblem, PluginStatus};
pub use registry_error::RegistryError;

/// A resource type: its schema and the constructor of its resources.
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

/// The batch support of a type: the apply function and the maximum number of members.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct BatchOfType {
    #[doc(hidden)]
    pub apply: ApplyBatch,
    #[doc(hidden)]
    pub at_most: usize,
}

/// The constructor of resources from rendered values.
enum Make {
    /// The constructor of a Rust type.
    Type(Prepare),
    /// The constructor of a type that is known by its description only.
    Described(Arc<dyn MakeResource>),
}

/// Converts rendered values into a resource.
type Prepare = fn(Fields<'_>) -> Result<Box<dyn AnyResource>, Vec<FieldError>>;

/// Returns the errors that the type's own rules report.
type Rules = fn(Fields<'_>) -> Vec<FieldError>;

/// Adds the footprint that the type's own method computes.
type OwnFootprint = fn(Fields<'_>, &mut Footprint);

/// Applies tasks of one type together.
pub(crate) type ApplyBatch = for<'a> fn(
    Vec<&'a mut (dyn AnyTask + 'static)>,
    &'a Context,
) -> Pin<Box<dyn Future<Output = Vec<Result<Status>>> + Send + 'a>>;

impl ResourceType {
    /// Creates the type of resource `R`.
    pub fn for_resource<R: Resource>() -> Self {
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
            make: Make::Type(|fields| Ok(Box::new(to_resource::<R>(fields)?))),
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

    /// Creates a type that is known by its description only.
    #[doc(hidden)]
    pub fn described(described: Described) -> Self {
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

    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the name in modules.
    pub fn name(&self) -> &'static str {
        self.schema.name
    }

    /// Returns the path of the Rust type.
    pub fn rust_name(&self) -> &'static str {
        self.rust_name
    }

    /// Whether the type has [rules of its own](crate::Validate).
    pub fn validates(&self) -> bool {
        self.rules.is_some()
    }

    /// Checks the type's own rules for values that are individually valid.
    #[doc(hidden)]
    pub fn broken_rules(&self, values: Vec<Option<Value>>) -> Vec<FieldError> {
        let Some(rules) = self.rules else { return Vec::new() };
        guarded(|| rules(self.fields(values)))
            .unwrap_or_else(|panic| vec![FieldError { path: ValuePath::default(), kind: panicked(&panic) }])
    }

    fn fields(&self, values: Vec<Option<Value>>) -> Fields<'_> {
        Fields::new(&self.schema.fields, &self.schema.rules, values)
    }

    /// Whether its resources declare a footprint: what they manage, need or touch.
    pub fn has_footprint(&self) -> bool {
        self.has_footprint
    }

    /// Whether a field, or a field nested in one, is sensitive.
    #[doc(hidden)]
    pub fn has_sensitive(&self) -> bool {
        self.has_sensitive
    }

    /// Whether a method of the type adds to the footprint of its fields.
    #[doc(hidden)]
    pub fn has_own_footprint(&self) -> bool {
        self.own_footprint.is_some()
    }

    /// Returns how far its checks read beyond the names in its resources.
    pub fn reads(&self) -> Reach {
        self.reads
    }

    /// Returns how far its changes go beyond the names in its resources.
    pub fn changes(&self) -> Reach {
        self.changes
    }

    /// Returns the footprint of a resource with these values.
    ///
    /// `value` returns the value of the field with an index: unknown if it is not known yet, `None` if the
    /// field is not set. An unknown value adds no name, and makes the footprint
    /// [partial](Footprint::partial). What a method of the type adds is then only touched, because the unknown
    /// value may change its name.
    pub fn footprint(&self, mut value: impl FnMut(usize) -> Option<Value>) -> Footprint {
        if !self.has_footprint {
            return Footprint::new();
        }
        let mut value = |index: usize| self.schema.fields.get(index)?.written(value(index));
        let mut footprint = Footprint::of_fields(&self.schema.fields, &mut value);
        if let Some(compute) = self.own_footprint {
            let mut values: Vec<_> = (0..self.schema.fields.len()).map(value).collect();
            let is_unknown = |value: &Value| value.find_unknown().is_some();
            if values.iter().flatten().any(is_unknown) {
                footprint.partial = true;
                for value in &mut values {
                    value.take_if(|value| is_unknown(value));
                }
                let mut known = Footprint::new();
                compute(Fields::new(&self.schema.fields, &[], values), &mut known);
                // An unknown field may change the names, so these only order the resource.
                let changing = known.claims.iter_mut().filter(|claim| claim.verb.changes());
                changing.for_each(|claim| claim.verb = Verb::Touches);
                footprint.covers |= known.covers;
                footprint.claims.append(&mut known.claims);
            } else {
                compute(self.fields(values), &mut footprint);
            }
        }
        footprint
    }

    /// Whether its tasks can be [refreshed](crate::Refresh), as `on_change_of` requires.
    pub fn refreshes(&self) -> bool {
        self.refreshes
    }

    /// Whether a boot refreshes its tasks; see [`Refresh::BY_BOOT`](crate::Refresh::BY_BOOT).
    pub fn is_refreshed_by_boot(&self) -> bool {
        self.is_refreshed_by_boot
    }

    /// Returns the [lock](crate::Preparer::LOCK) of the type.
    pub fn lock(&self) -> Option<&'static str> {
        self.lock
    }

    /// Returns the types of [state](crate::AppState) that a program must provide.
    pub fn needs(&self) -> &'static [Need] {
        self.needs
    }

    /// Whether its resources [keep](crate::Resource::KEEPS) a text between runs.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Whether its checks depend only on the fields and on what they ask of the system.
    #[doc(hidden)]
    pub fn checks_only_system(&self) -> bool {
        let is_of_this_process = matches!(self.make, Make::Type(_));
        is_of_this_process && self.reads == Reach::Named && !self.keeps && self.needs.is_empty()
    }

    /// Whether its tasks can be applied in a [batch](crate::Batch).
    pub fn batches(&self) -> bool {
        self.batch.is_some()
    }

    #[doc(hidden)]
    pub fn batch(&self) -> Option<BatchOfType> {
        self.batch
    }

    /// Makes a resource of rendered values, indexed by field.
    ///
    /// # Errors
    ///
    /// All values that are invalid, and all violated rules between fields.
    pub fn from_values(&self, values: Vec<Option<Value>>) -> Result<Box<dyn AnyResource>, Vec<FieldError>> {
        match &self.make {
            Make::Type(prepare) => prepare(self.fields(values)),
            Make::Described(maker) => described_type::make(&self.schema, &**maker, values),
        }
    }
}

impl fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResourceType({} = {})", self.schema.name, self.rust_name)
    }
}

/// Checks the own rules of `R`.
///
/// Returns no errors if the values cannot be converted.
fn broken_rules<R: Resource>(fields: Fields<'_>) -> Vec<FieldError> {
    // A panic in a conversion is reported for its field elsewhere.
    let Ok(Ok(resource)) = guarded(|| R::from_fields(fields)) else { return Vec::new() };
    resource::broken_rules(&resource)
}

/// Adds the own footprint of `R`.
///
/// Adds nothing if the values cannot be converted.
fn own_footprint<R: Resource>(fields: Fields<'_>, footprint: &mut Footprint) {
    if let (Some(add), Ok(resource)) = (R::footprinter(), R::from_fields(fields)) {
        add(&resource, footprint);
    }
}

/// Applies tasks of `R` together.
///
/// A task of another type gets no result.
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

/// The words with which the blocks and references of the module language begin.
const RESERVED: [&str; 12] = [
    "case", "default", "each", "local", "locals", "module", "output", "param", "platform", "plugin", "self",
    "switch",
];

/// A resource type that registers itself, submitted by `#[derive(Preparer)]`.
#[derive(Debug)]
pub struct Registration {
    resource_type: fn() -> ResourceType,
}

impl Registration {
    /// Registers `R`.
    pub const fn for_resource<R: Resource>() -> Self {
        Self { resource_type: ResourceType::for_resource::<R> }
    }
}

inventory::collect!(Registration);

/// The resource types that a program knows, by name.
///
/// `param`, `module` and `switch` belong to the module language and are not in the registry.
///
/// No registry is global: add types one by one with [`with`](Self::with), or take all types that are linked
/// into the program with [`automatic`](Self::automatic).
#[derive(Clone, Debug, Default)]
pub struct Registry {
    identity: RegistryIdentity,
    types: BTreeMap<&'static str, Arc<ResourceType>>,
    functions: ModuleFunctions,
    /// The types that this program was built without, and the feature that each needs.
    absent: BTreeMap<&'static str, &'static str>,
    /// The results of starting the plugins that modules name.
    plugins: plugin_status::PluginResults,
}

/// The identity of a registry.
///
/// A clone has the same identity; a registry that was added to has another one.
#[derive(Clone, Default)]
#[doc(hidden)]
pub struct RegistryIdentity(Arc<()>);

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
    /// Records the result of starting a plugin: success or the problem.
    ///
    /// A module may name only plugins with a recorded result.
    #[doc(hidden)]
    pub fn with_plugin(mut self, name: &str, sha256: &str, problem: Option<PluginProblem>) -> Self {
        self.plugins.insert((name.to_owned(), sha256.to_ascii_lowercase()), problem);
        self.identity = RegistryIdentity::default();
        self
    }

    /// Returns the result of starting the plugin with this name and SHA-256.
    #[doc(hidden)]
    pub fn plugin(&self, name: &str, sha256: &str) -> PluginStatus<'_> {
        match self.plugins.get(&(name.to_owned(), sha256.to_ascii_lowercase())) {
            None => PluginStatus::Unknown,
            Some(None) => PluginStatus::Started,
            Some(Some(problem)) => PluginStatus::Refused(problem),
        }
    }

    #[doc(hidden)]
    pub fn identity(&self) -> &RegistryIdentity {
        &self.identity
    }

    /// Creates an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all types that are linked into the program and register themselves.
    ///
    /// A crate that the program's code never names is not linked: write `use its_crate as _;`.
    ///
    /// # Errors
    ///
    /// If several types have the same name, or the definition of a type is invalid.
    pub fn automatic() -> Result<Self, RegistryError> {
        let mut types: Vec<ResourceType> = inventory::iter::<Registration>
            .into_iter()
            .map(|registration| (registration.resource_type)())
            .collect();
        // The order of the linker is arbitrary. Messages about duplicates must not depend on it.
        types.sort_by_key(|resource_type| (resource_type.name(), resource_type.rust_name()));
        let mut registry = Self::new();
        let refused =
            types.into_iter().filter_map(|resource_type| registry.insert(resource_type).err()).collect();
        RegistryError::combine(refused).map_or(Ok(registry), Err)
    }

    /// Adds a type.
    ///
    /// # Errors
    ///
    /// If a type of the same name exists, the language reserves the name, or the definition contradicts
    /// itself.
    pub fn with<R: Resource>(mut self) -> Result<Self, RegistryError> {
        self.insert(ResourceType::for_resource::<R>())?;
        Ok(self)
    }

    #[doc(hidden)]
    pub fn insert(&mut self, new: ResourceType) -> Result<(), RegistryError> {
        if new.name().split('.').next().is_some_and(|first| RESERVED.contains(&first)) {
            return Err(RegistryError::Reserved { name: new.name(), rust_name: new.rust_name() });
        }
        if let Some(have) = self.types.get(new.name()) {
            return Err(RegistryError::Duplicate {
                name: new.name(),
                first: have.rust_name(),
                second: new.rust_name(),
            });
        }
        let problem = wrong_default(&new.schema.fields).or_else(|| wrong_names(&new.schema));
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
    /// If a function of that name exists, the language reserves the name, the name is invalid, or the
    /// function has no documentation.
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

    /// Returns the functions that modules can call in addition to those of the language.
    pub fn functions(&self) -> &ModuleFunctions {
        &self.functions
    }

    /// Declares a type that this program was built without, and the feature that it needs.
    ///
    /// A module that uses the type then gets a better error than an unknown type.
    ///
    /// ```
    /// use converge_core::{Registry, load::Loader};
    ///
    /// let registry = Registry::new().with_absent("docker.image", "the feature `docker`");
    /// let loaded = Loader::new(&registry).load_text("web.hcl", r#"docker.image "web" { name = "web" }"#);
    /// let mistake = loaded.diagnostics.iter().next().ok_or("there is one")?;
    /// assert_eq!(mistake.message, "`docker.image` is not part of this program");
    /// assert_eq!(mistake.help.as_deref(), Some("this program was built without the feature `docker`"));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn with_absent(mut self, name: &'static str, needs: &'static str) -> Self {
        self.absent.insert(name, needs);
        self.identity = RegistryIdentity::default();
        self
    }

    /// Returns the feature that a missing type needs; `None` if the type exists or is unknown.
    pub fn absent(&self, name: &str) -> Option<&'static str> {
        if self.types.contains_key(name) { None } else { self.absent.get(name).copied() }
    }

    /// Returns the type with a name.
    pub fn get(&self, name: &str) -> Option<&Arc<ResourceType>> {
        self.types.get(name)
    }

    /// Returns all types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ResourceType>> {
        self.types.values()
    }
}

#[cfg(test)]
mod tests;
