//! The set of all definitions of a server.

use std::collections::BTreeMap;
use std::sync::Arc;

use converge_controller::registry::{Registration, RegistryError, TypeRegistry};
use converge_controller::service::Service;
use converge_controller::{Generation, Id, Name, Typed, Uid};
use prost_reflect::{DescriptorError, DescriptorPool};

use super::compile::Compiled;
use super::compile_error::CompileError;
use super::definition::TypeDefinition;

/// The version of a definition.
type State = (Option<Uid>, Option<Generation>);

/// Compiles a definition next to the types of the program and reports all mistakes.
pub(crate) fn accept(
    own: &TypeRegistry,
    name: &Name,
    definition: &TypeDefinition,
) -> Result<Compiled, Vec<CompileError>> {
    let group = TypeDefinition::group(name.as_str());
    if let Some(known) = own.iter().find(|registration| registration.resource_type.group.as_str() == group) {
        let Registration { resource_type, origin, .. } = known;
        return Err(vec![CompileError::whole(format!(
            "the group {group} is reserved for types of the server, such as {resource_type} ({origin}): take another group"
        ))]);
    }
    Compiled::new(&group, &definition.files)
}

/// A definition and its compiled form.
struct Known {
    state: State,
    id: Id,
    compiled: Result<Arc<Compiled>, Vec<CompileError>>,
}

/// All definitions of a server with their compiled forms.
#[derive(Default)]
pub(crate) struct DefinitionSet(BTreeMap<Name, Known>);

impl DefinitionSet {
    /// Compiles and stores a version of a definition; returns whether it was new.
    ///
    /// Compilation may take a while.
    pub(crate) fn put(&mut self, own_types: &TypeRegistry, definition: &Typed<TypeDefinition>) -> bool {
        let (id, name) = (definition.id().clone(), definition.id().name.clone());
        let state = (id.uid, definition.resource.generation);
        if self.has(&name, state) {
            return false;
        }
        let compiled = accept(own_types, &name, &definition.data).map(Arc::new);
        if let Err(mistakes) = &compiled {
            let problems: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
            tracing::warn!(definition = %name, problems = problems.join("; "), "a stored definition of types cannot be used: resources of its types are not served");
        }
        self.0.insert(name, Known { state, id, compiled });
        true
    }

    pub(crate) fn remove(&mut self, name: &Name) -> bool {
        self.0.remove(name).is_some()
    }

    /// Removes all definitions except these.
    pub(crate) fn keep(&mut self, names: &[Name]) -> bool {
        let before = self.0.len();
        self.0.retain(|name, _| names.contains(name));
        self.0.len() != before
    }

    /// Whether this version of a definition is present.
    pub(crate) fn has(&self, name: &Name, state: State) -> bool {
        self.0.get(name).is_some_and(|entry| entry.state == state)
    }

    /// Returns the names of all definitions with their versions.
    pub(crate) fn states(&self) -> BTreeMap<Name, State> {
        self.0.iter().map(|(name, known)| (name.clone(), known.state)).collect()
    }

    /// Returns the types of the program together with all defined types.
    pub(crate) fn merged_with(&self, own_types: &TypeRegistry) -> Result<TypeRegistry, RegistryError> {
        let mut types = own_types.clone();
        for (id, compiled) in self.compiled() {
            compiled.registrations(id).try_for_each(|registration| types.add(registration))?;
        }
        Ok(types)
    }

    /// Registers the types with a service.
    pub(crate) fn define(&self, service: &Service) -> Result<(), RegistryError> {
        let registrations = self.compiled().flat_map(|(id, compiled)| compiled.registrations(id));
        service.define(registrations.collect::<Vec<_>>())
    }

    pub(crate) fn files(&self) -> DefinedFiles {
        DefinedFiles(self.compiled().map(|(_, compiled)| Arc::clone(compiled)).collect())
    }

    fn compiled(&self) -> impl Iterator<Item = (&Id, &Arc<Compiled>)> {
        self.0.values().filter_map(|entry| Some((&entry.id, entry.compiled.as_ref().ok()?)))
    }
}

/// The files of all definitions at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinedFiles(Vec<Arc<Compiled>>);

impl DefinedFiles {
    pub(crate) fn extend(&self, pool: &mut DescriptorPool) -> Result<(), DescriptorError> {
        for (path, file) in self.0.iter().flat_map(|compiled| &compiled.files) {
            // Files that come with the server are imported by many definitions and are the same for all.
            if pool.get_file_by_name(path).is_none() {
                pool.decode_file_descriptor_proto(file.as_slice())?;
            }
        }
        Ok(())
    }
}
