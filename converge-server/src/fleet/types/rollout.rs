//! The stored type for rollouts.

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Id, InvalidName, Name, Ref, StoredEnum, StoredResource, Typed};

use super::module::Module;
use super::revision::Revision;
use crate::fleet::naming;

/// The phase of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum Phase {
    /// Never written.
    Unspecified = 0,
    /// Nodes are getting the revision.
    Running = 1,
    /// Every node that could get the revision has it and is healthy.
    Complete = 2,
    /// Too many nodes failed.
    Failed = 3,
    /// The module has changed since.
    Superseded = 4,
}

/// The rollout of a module's revision.
///
/// Ended rollouts are the history of the module.
///
/// The scheduler writes it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = namespace, validate = Rollout::check)]
pub(crate) struct Rollout {
    /// The number within the module, from 1.
    #[stored(tag = 1)]
    pub number: u64,
    /// The revision that nodes get.
    #[stored(tag = 2)]
    pub to: Option<Ref<Revision>>,
    /// The revision to which nodes go back.
    #[stored(tag = 3)]
    pub from: Option<Ref<Revision>>,
    /// The attempt number, as the module states it.
    #[stored(tag = 4)]
    pub attempt: u32,
    /// The phase.
    #[stored(tag = 5)]
    pub phase: Phase,
    /// The reason for the end.
    #[stored(tag = 6)]
    pub reason: String,
    /// The time of the start.
    #[stored(tag = 7)]
    pub began: Option<Timestamp>,
    /// The time of the end.
    #[stored(tag = 8)]
    pub ended: Option<Timestamp>,
}

impl Rollout {
    /// Creates a rollout of a module.
    ///
    /// # Errors
    ///
    /// The name is invalid, which is a bug of this program.
    pub(crate) fn for_module(module: &Typed<Module>, rollout: Self) -> Result<Typed<Self>, InvalidName> {
        let Id { name, tenancy, .. } = module.id();
        let name = Self::name_of(name, rollout.number)?;
        Ok(Typed::named(tenancy.clone(), name, rollout).with_owner(module.id()))
    }

    fn name_of(module: &Name, number: u64) -> Result<Name, InvalidName> {
        let read: Name = number.to_string().parse()?;
        naming::derived(&[module, &read], &[module.as_str().as_bytes(), &number.to_be_bytes()])
    }

    fn check(rollout: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("to").present(rollout.to.as_ref());
        invalid.field("phase").require(rollout.phase != Phase::Unspecified, Cause::Missing);
        invalid.field("owner").require(rollout.owner().is_some(), Cause::Missing);
        invalid.owner_type(rollout.owner(), &[Module::resource_type()]);
        let expect = rollout.owner().and_then(|module| Self::name_of(&module.name, rollout.number).ok());
        if let Some(expect) = expect.filter(|expect| *expect != rollout.id().name) {
            invalid
                .field("id")
                .field("name")
                .add(format!("is not {expect}, the name for this module and this number"));
        }
        invalid.finish()
    }
}
