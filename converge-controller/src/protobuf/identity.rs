//! Identities as messages of `converge.resource`.
//!
//! An identity that is a field of data leaves out the tenancy of what has none. In a stored resource it is there as an empty
//! message ([`WireId::with_tenancy`]). Both are read alike, and neither may change: data are compared by their bytes.

use converge_derive::StoredMessage;
use prost::DecodeError;

use super::error::{inner, invalid, part};
use super::message::{Wire, value_as};
use crate::identity::{Id, Reference, Tenancy, Type};

/// What a resource is.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Type")]
struct WireType {
    /// The family.
    #[stored(tag = 1)]
    group: String,
    /// The version of the schema.
    #[stored(tag = 2)]
    group_version: String,
    /// What it describes.
    #[stored(tag = 3)]
    kind: String,
}

/// Whose a resource is.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Tenancy")]
struct WireTenancy {
    /// The larger unit; empty for what is of the whole cluster.
    #[stored(tag = 1)]
    partition: String,
    /// The smaller unit; empty for what is of a partition.
    #[stored(tag = 2)]
    namespace: String,
}

/// What finds a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Id")]
pub(crate) struct WireId {
    /// What it is.
    #[stored(tag = 1)]
    r#type: WireType,
    /// Whose it is.
    #[stored(tag = 2)]
    tenancy: Option<WireTenancy>,
    /// What it is called.
    #[stored(tag = 3)]
    name: String,
    /// Which one of that name it is; empty for whichever has the name.
    #[stored(tag = 4)]
    uid: String,
}

/// What one resource says to mean another.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Reference")]
pub(crate) struct WireReference {
    /// What it is.
    #[stored(tag = 1)]
    r#type: WireType,
    /// Whose it is.
    #[stored(tag = 2)]
    tenancy: Option<WireTenancy>,
    /// What it is called.
    #[stored(tag = 3)]
    name: String,
    /// The part of it that is meant; empty for the whole.
    #[stored(tag = 4)]
    section: String,
}

/// The tenancy of an identity in data.
fn tenancy(native: &Tenancy) -> Option<WireTenancy> {
    (*native != Tenancy::Cluster).then(|| WireTenancy::from_native(native))
}

impl WireId {
    /// The same, as a stored resource has it.
    pub(crate) fn with_tenancy(mut self) -> Self {
        self.tenancy.get_or_insert_default();
        self
    }
}

impl WireReference {
    /// The same, as a stored resource has it.
    pub(crate) fn with_tenancy(mut self) -> Self {
        self.tenancy.get_or_insert_default();
        self
    }
}

impl Wire for WireType {
    type Native = Type;

    fn from_native(native: &Type) -> Self {
        Self {
            group: native.group.as_str().to_owned(),
            group_version: native.group_version.as_str().to_owned(),
            kind: native.kind.as_str().to_owned(),
        }
    }

    fn into_native(self) -> Result<Type, DecodeError> {
        Ok(Type {
            group: self.group.parse().map_err(part("group"))?,
            group_version: self.group_version.parse().map_err(part("group_version"))?,
            kind: self.kind.parse().map_err(part("kind"))?,
        })
    }
}

impl Wire for WireTenancy {
    type Native = Tenancy;

    fn from_native(native: &Tenancy) -> Self {
        Self {
            partition: native.partition().map(ToString::to_string).unwrap_or_default(),
            namespace: native.namespace().map(ToString::to_string).unwrap_or_default(),
        }
    }

    fn into_native(self) -> Result<Tenancy, DecodeError> {
        Tenancy::from_units(&self.partition, &self.namespace).map_err(|error| invalid(error.to_string()))
    }
}

impl Wire for WireId {
    type Native = Id;

    fn from_native(native: &Id) -> Self {
        Self {
            r#type: WireType::from_native(&native.resource_type),
            tenancy: tenancy(&native.tenancy),
            name: native.name.as_str().to_owned(),
            uid: native.uid.map(|uid| uid.to_string()).unwrap_or_default(),
        }
    }

    fn into_native(self) -> Result<Id, DecodeError> {
        let uid = (!self.uid.is_empty()).then(|| self.uid.parse()).transpose();
        Ok(Id {
            resource_type: self.r#type.into_native().map_err(inner("type"))?,
            tenancy: self.tenancy.unwrap_or_default().into_native().map_err(inner("tenancy"))?,
            name: self.name.parse().map_err(part("name"))?,
            uid: uid.map_err(part("uid"))?,
        })
    }
}

impl Wire for WireReference {
    type Native = Reference;

    fn from_native(native: &Reference) -> Self {
        Self {
            r#type: WireType::from_native(&native.resource_type),
            tenancy: tenancy(&native.tenancy),
            name: native.name.as_str().to_owned(),
            section: native.section.clone(),
        }
    }

    fn into_native(self) -> Result<Reference, DecodeError> {
        Ok(Reference {
            resource_type: self.r#type.into_native().map_err(inner("type"))?,
            tenancy: self.tenancy.unwrap_or_default().into_native().map_err(inner("tenancy"))?,
            name: self.name.parse().map_err(part("name"))?,
            section: self.section,
        })
    }
}

value_as!(Type, WireType, |_| false);
value_as!(Id, WireId, |_| false);
value_as!(Reference, WireReference, |_| false);
value_as!(Tenancy, WireTenancy, |tenancy| *tenancy == Tenancy::Cluster);
