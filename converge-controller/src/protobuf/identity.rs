//! Identities as messages of `converge.resource`.
//!
//! In data, an identity without units has no tenancy message. In a stored resource the tenancy is an empty
//! message ([`WireId::with_tenancy`]). Both decode to the same value, and neither encoding may change: data
//! are compared by their bytes.

use converge_derive::StoredMessage;
use prost::DecodeError;

use super::error::{inner, invalid, part};
use super::message::{Wire, value_as};
use crate::identity::{Id, Reference, Tenancy, Type};

/// The type of a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Type")]
struct WireType {
    /// The group, a family of types.
    #[stored(tag = 1)]
    group: String,
    /// The version of the schema.
    #[stored(tag = 2)]
    group_version: String,
    /// The kind: the thing that the type describes.
    #[stored(tag = 3)]
    kind: String,
}

/// The partition and namespace of a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Tenancy")]
struct WireTenancy {
    /// The partition; empty for a resource of the whole cluster.
    #[stored(tag = 1)]
    partition: String,
    /// The namespace; empty for a resource of a partition.
    #[stored(tag = 2)]
    namespace: String,
}

/// The identity of a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Id")]
pub(crate) struct WireId {
    /// The type of the resource.
    #[stored(tag = 1)]
    r#type: WireType,
    /// The tenancy of the resource.
    #[stored(tag = 2)]
    tenancy: Option<WireTenancy>,
    /// The name of the resource.
    #[stored(tag = 3)]
    name: String,
    /// The uid; empty to mean the resource that has the name now.
    #[stored(tag = 4)]
    uid: String,
}

/// A reference from one resource to another.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Reference")]
pub(crate) struct WireReference {
    /// The type of the resource.
    #[stored(tag = 1)]
    r#type: WireType,
    /// The tenancy of the resource.
    #[stored(tag = 2)]
    tenancy: Option<WireTenancy>,
    /// The name of the resource.
    #[stored(tag = 3)]
    name: String,
    /// The part of the resource; empty for the whole.
    #[stored(tag = 4)]
    section: String,
}

/// Returns the tenancy message of an identity in data.
fn tenancy(native: &Tenancy) -> Option<WireTenancy> {
    (*native != Tenancy::Cluster).then(|| WireTenancy::from_native(native))
}

impl WireId {
    /// Adds the tenancy message that identities in a stored resource have.
    pub(crate) fn with_tenancy(mut self) -> Self {
        self.tenancy.get_or_insert_default();
        self
    }
}

impl WireReference {
    /// Adds the tenancy message that references in a stored resource have.
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
