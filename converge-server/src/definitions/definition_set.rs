//! Everything that is defined.

use std::collections::BTreeMap;
use std::sync::Arc;

use converge_controller::registry::{Registration, RegistryError, TypeRegistry};
use converge_controller::service::Service;
use converge_controller::{Generation, Id, Name, Typed, Uid};
use prost_reflect::{DescriptorError, DescriptorPool};

use super::compile::Compiled;
use super::compile_error::Mistake;
use super::definition::TypeDefinition;

/// One state of a definition.
type State = (Option<Uid>, Option<Generation>);

/// The types of a definition, where a program has these types of its own. Everything that is wrong is said.
pub(crate) fn accept(
    own: &TypeRegistry,
    name: &Name,
    definition: &TypeDefinition,
) -> Result<Compiled, Vec<Mistake>> {
    let group = TypeDefinition::group(name.as_str());
    if let Some(known) = own.iter().find(|known| known.resource_type.group.as_str() == group) {
        let Registration { resource_type, origin, .. } = known;
        return Err(vec![Mistake::whole(format!(
            "the group {group} is that of types of the server itself, such as {resource_type} ({origin}): take another group"
        ))]);
    }
    Compiled::new(&group, &definition.files)
}

/// A definition as a server knows it.
struct Known {
    state: State,
    id: Id,
    compiled: Result<Arc<Compiled>, Vec<Mistake>>,
}

/// All definitions that a server knows, and what it made of them.
#[derive(Default)]
pub(crate) struct Defined(BTreeMap<Name, Known>);

impl Defined {
    /// Takes a state of a definition; says whether it is another one than was known. It may take a while.
    pub(crate) fn put(&mut self, own: &TypeRegistry, definition: &Typed<TypeDefinition>) -> bool {
        let (id, name) = (definition.id().clone(), definition.id().name.clone());
        let state = (id.uid, definition.resource.generation);
        if self.has(&name, state) {
            return false;
        }
        let compiled = accept(own, &name, &definition.data).map(Arc::new);
        if let Err(mistakes) = &compiled {
            let said: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
            tracing::warn!(definition = %name, problems = said.join("; "), "a stored definition of types cannot be used: resources of its types are not served");
        }
        self.0.insert(name, Known { state, id, compiled });
        true
    }

    /// Forgets a definition.
    pub(crate) fn remove(&mut self, name: &Name) -> bool {
        self.0.remove(name).is_some()
    }

    /// Forgets all but these.
    pub(crate) fn keep(&mut self, names: &[Name]) -> bool {
        let before = self.0.len();
        self.0.retain(|name, _| names.contains(name));
        self.0.len() != before
    }

    /// Whether a state of a definition is known.
    pub(crate) fn has(&self, name: &Name, state: State) -> bool {
        self.0.get(name).is_some_and(|known| known.state == state)
    }

    /// What each is called, and in which state it is known.
    pub(crate) fn states(&self) -> BTreeMap<Name, State> {
        self.0.iter().map(|(name, known)| (name.clone(), known.state)).collect()
    }

    /// All types beside those of a program.
    pub(crate) fn beside(&self, own: &TypeRegistry) -> Result<TypeRegistry, RegistryError> {
        let mut types = own.clone();
        for (id, compiled) in self.compiled() {
            compiled.registrations(id).try_for_each(|registration| types.add(registration))?;
        }
        Ok(types)
    }

    /// Lets a service know the types.
    pub(crate) fn define(&self, service: &Service) -> Result<(), RegistryError> {
        let all = self.compiled().flat_map(|(id, compiled)| compiled.registrations(id));
        service.define(all.collect::<Vec<_>>())
    }

    /// The files of all of them.
    pub(crate) fn files(&self) -> DefinedFiles {
        DefinedFiles(self.compiled().map(|(_, compiled)| Arc::clone(compiled)).collect())
    }

    fn compiled(&self) -> impl Iterator<Item = (&Id, &Arc<Compiled>)> {
        self.0.values().filter_map(|known| Some((&known.id, known.compiled.as_ref().ok()?)))
    }
}

/// The files of all definitions at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinedFiles(Vec<Arc<Compiled>>);

impl DefinedFiles {
    /// Adds them to what is known of other types.
    pub(crate) fn extend(&self, pool: &mut DescriptorPool) -> Result<(), DescriptorError> {
        for (path, file) in self.0.iter().flat_map(|compiled| &compiled.files) {
            // What comes with the server is imported by many, and is the same for all.
            if pool.get_file_by_name(path).is_none() {
                pool.decode_file_descriptor_proto(file.as_slice())?;
            }
        }
        Ok(())
    }
}
