//! The stored type for revisions of a module.

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Id, InvalidName, Name, StoredResource, Typed};
use prost::Message as _;

use super::content::Content;
use super::module::Module;
use crate::fleet::naming;

/// The content of a module at one time.
///
/// It never changes: its name contains a hash of the content.
///
/// The scheduler writes it. Nodes with an earlier revision of the module find its content here.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = namespace, validate = Revision::check)]
pub(crate) struct Revision {
    /// The content of the module.
    #[stored(tag = 1)]
    pub content: Content,
}

impl Revision {
    /// Creates the revision for the current content of a module.
    ///
    /// # Errors
    ///
    /// The name is invalid, which is a bug of this program.
    pub(crate) fn from_module(module: &Typed<Module>) -> Result<Typed<Self>, InvalidName> {
        let Id { name, tenancy, .. } = module.id();
        let name = Self::name_of(name, &module.content)?;
        Ok(Typed::named(tenancy.clone(), name, Self { content: module.content.clone() })
            .with_owner(module.id()))
    }

    fn name_of(module: &Name, content: &Content) -> Result<Name, InvalidName> {
        naming::derived(&[module], &[module.as_str().as_bytes(), &content.encode_to_vec()])
    }

    fn check(revision: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("content").include(revision.content.check());
        invalid.field("owner").require(revision.owner().is_some(), Cause::Missing);
        invalid.owner_type(revision.owner(), &[Module::resource_type()]);
        let expect = revision.owner().and_then(|module| Self::name_of(&module.name, &revision.content).ok());
        if let Some(expect) = expect.filter(|expect| *expect != revision.id().name) {
            invalid.field("id").field("name").add(format!(
                "is not {expect}, the name that belongs to its content: a revision never changes"
            ));
        }
        invalid.finish()
    }
}
