//! The resource types that modules can name.

use std::sync::Arc;

use super::language_types::{CaseType, ModuleType, PluginType, SwitchType};
use super::local::Local;
use super::output::Output;
use super::param::Param;
use crate::sdk::registry::{PluginStatus, Registry, RegistryIdentity, ResourceType};
use converge_value::types::function::ModuleFunctions;
use converge_value::types::hash::NameMap;

/// The types that modules can name: those of a [`Registry`] and those of the language.
///
/// The types of the language are `param`, `output`, `module`, `switch` and `plugin`.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::TypeTable;
///
/// let registry = Registry::new();
/// let names: Vec<_> = TypeTable::new(&registry).iter().map(|known| known.name()).collect();
/// assert_eq!(names, ["module", "output", "param", "plugin", "switch"]);
/// ```
#[derive(Clone, Debug)]
pub struct TypeTable<'r> {
    registry: &'r Registry,
    /// The types of the language and the registry, by name.
    types: NameMap<&'static str, Arc<ResourceType>>,
    pub(crate) module: Arc<ResourceType>,
    pub(crate) switch: Arc<ResourceType>,
    pub(crate) case: Arc<ResourceType>,
    /// The type of the values of `locals`, which modules cannot name.
    pub(crate) local: Arc<ResourceType>,
}

impl<'r> TypeTable<'r> {
    /// Creates the table of the types of the language and of a registry.
    pub fn new(registry: &'r Registry) -> Self {
        let module = Arc::new(ResourceType::for_resource::<ModuleType>());
        let switch = Arc::new(ResourceType::for_resource::<SwitchType>());
        let param = Arc::new(ResourceType::for_resource::<Param>());
        // A case only occurs in a switch, whose documentation describes it, so it is not in the table.
        let plugin = Arc::new(ResourceType::for_resource::<PluginType>());
        let output = Arc::new(ResourceType::for_resource::<Output>());
        let language = [param, output, plugin, Arc::clone(&module), Arc::clone(&switch)];
        let types = registry
            .iter()
            .cloned()
            .chain(language)
            .map(|resource_type| (resource_type.name(), resource_type))
            .collect();
        Self {
            registry,
            types,
            module,
            switch,
            case: Arc::new(ResourceType::for_resource::<CaseType>()),
            local: Arc::new(ResourceType::for_resource::<Local>()),
        }
    }

    /// Returns the type of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<ResourceType>> {
        self.types.get(name)
    }

    /// Returns all types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ResourceType>> {
        let mut types: Vec<_> = self.types.values().collect();
        types.sort_by_key(|resource_type| resource_type.name());
        types.into_iter()
    }

    /// Returns the requirement of a type that this program [leaves out](Registry::with_absent).
    pub fn absent(&self, name: &str) -> Option<&'static str> {
        self.registry.absent(name)
    }

    /// Returns the state of a plugin that a module names.
    pub(crate) fn plugin(&self, name: &str, sha256: &str) -> PluginStatus<'_> {
        self.registry.plugin(name, sha256)
    }

    /// Returns the functions that modules can call beside those of the language.
    pub fn functions(&self) -> &ModuleFunctions {
        self.registry.functions()
    }

    pub(crate) fn identity(&self) -> &RegistryIdentity {
        self.registry.identity()
    }

    /// Returns whether a type only contains resources.
    pub(crate) fn is_structure(&self, resource_type: &Arc<ResourceType>) -> bool {
        [&self.module, &self.switch, &self.case]
            .into_iter()
            .any(|structure| Arc::ptr_eq(structure, resource_type))
    }
}
