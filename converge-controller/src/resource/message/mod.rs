//! Resources as messages of `converge.resource`, for stores and for fields of messages.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bytes::Bytes;
use converge_derive::StoredMessage;
use jiff::Timestamp;
use prost::DecodeError;

#[cfg(feature = "redb")]
use super::Version;
use super::{Condition, ConditionState, Data, Metadata, Resource, Status, StatusKey};
#[cfg(feature = "redb")]
use crate::identity::Uid;
use crate::protobuf::{Wire, WireId, WireReference, inner, invalid, part, value_as, within};

/// A resource, as it is stored, read and written.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Resource")]
pub(crate) struct WireResource {
    /// The identity of the resource.
    #[stored(tag = 1)]
    id: Option<WireId>,
    /// The owner: its deletion also deletes this resource.
    #[stored(tag = 2)]
    owner: Option<WireId>,
    /// The version of the whole resource; every write changes it, also that of a status.
    #[stored(tag = 3)]
    version: String,
    /// The generation of the data and metadata; the write of a status does not change it.
    #[stored(tag = 4)]
    generation: String,
    /// The metadata.
    #[stored(tag = 5)]
    metadata: BTreeMap<String, String>,
    /// The statuses that controllers report, each under its own key.
    #[stored(tag = 6)]
    status: BTreeMap<String, WireStatus>,
    /// The data, as a message of the resource type.
    #[stored(tag = 7)]
    data: Option<WireAny>,
}

/// The status that one controller reports for a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Status")]
struct WireStatus {
    /// The generation of the resource that the status is about.
    #[stored(tag = 1)]
    observed_generation: String,
    /// The conditions, one for each aspect of the resource.
    #[stored(tag = 2)]
    conditions: Vec<WireCondition>,
    /// The time of the last write of the status. The service sets it.
    #[stored(tag = 3)]
    updated_at: Option<Timestamp>,
}

/// The state of one aspect of a resource, with the reason.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Condition")]
struct WireCondition {
    /// The type of the condition: a short text for programs. `True` should be the good state.
    #[stored(tag = 1)]
    r#type: String,
    /// The state of the condition.
    #[stored(tag = 2)]
    state: ConditionState,
    /// The reason for the state: a short text for programs.
    #[stored(tag = 3)]
    reason: String,
    /// The reason for the state: a sentence for people.
    #[stored(tag = 4)]
    message: String,
    /// The resource that is the reason, of any scope.
    #[stored(tag = 5)]
    resource: Option<WireReference>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "Any")]
struct WireAny {
    #[stored(tag = 1)]
    type_url: String,
    #[stored(tag = 2)]
    value: Bytes,
}

/// Returns the text of a value, or an empty text for `None`.
fn text<T: ToString>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

/// Parses a text; an empty text means `None`.
fn optional<T>(text: &str, field: &str) -> Result<Option<T>, DecodeError>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(part(field)) }
}

#[cfg(any(feature = "etcd", feature = "redb"))]
impl WireResource {
    /// Splits the fields into those before and those after the version.
    pub(crate) fn split_at_version(self) -> (Self, Self) {
        let before = Self { id: self.id, owner: self.owner, ..Self::default() };
        (before, Self { id: None, owner: None, version: String::new(), ..self })
    }

    /// Returns a message with only the version.
    #[cfg(feature = "redb")]
    pub(crate) fn from_version(version: &Version) -> Self {
        Self { version: version.to_string(), ..Self::default() }
    }
}

/// The fields of a [`WireResource`] that identify the resource, its state and its owner.
#[cfg(feature = "redb")]
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Resource")]
pub(crate) struct WireHead {
    #[stored(tag = 1)]
    id: WireUid,
    #[stored(tag = 2)]
    owner: WireUid,
    #[stored(tag = 3)]
    version: String,
}

/// The fields of a [`WireId`] that distinguish resources with the same name.
#[cfg(feature = "redb")]
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource", name = "Id")]
struct WireUid {
    #[stored(tag = 4)]
    uid: String,
}

/// The properties of a stored resource that are compared before it is replaced.
#[cfg(feature = "redb")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) uid: Option<Uid>,
    pub(crate) owner: Option<Uid>,
    pub(crate) version: Option<Version>,
}

#[cfg(feature = "redb")]
impl WireHead {
    pub(crate) fn into_head(self) -> Result<Head, DecodeError> {
        let uid = |id: WireUid, field| optional(&id.uid, "uid").map_err(inner(field));
        let version = optional(&self.version, "version")?;
        Ok(Head { uid: uid(self.id, "id")?, owner: uid(self.owner, "owner")?, version })
    }
}

impl Wire for WireResource {
    type Native = Resource;

    fn from_native(native: &Resource) -> Self {
        let id = |id| WireId::from_native(id).with_tenancy();
        let status = native.status.iter();
        Self {
            id: Some(id(&native.id)),
            owner: native.owner.as_ref().map(id),
            version: text(native.version.as_ref()),
            generation: text(native.generation.as_ref()),
            metadata: native.metadata.clone().into(),
            status: status.map(|(key, status)| (key.to_string(), WireStatus::from_native(status))).collect(),
            data: native.data.as_ref().map(WireAny::from_native),
        }
    }

    fn into_native(self) -> Result<Resource, DecodeError> {
        let id = self.id.ok_or_else(|| invalid("it is missing")).and_then(Wire::into_native);
        let owner = self.owner.map(Wire::into_native).transpose();
        let status = |(key, status): (String, WireStatus)| {
            let native = status.into_native().map_err(inner(&format!("[{key:?}]")))?;
            Ok((key.parse::<StatusKey>().map_err(part(&format!("[{key:?}]")))?, native))
        };
        let status = self.status.into_iter().map(status).collect::<Result<_, _>>();
        Ok(Resource {
            id: id.map_err(inner("id"))?,
            owner: owner.map_err(inner("owner"))?,
            version: optional(&self.version, "version")?,
            generation: optional(&self.generation, "generation")?,
            metadata: Metadata::try_from(self.metadata).map_err(part("metadata"))?,
            status: status.map_err(inner("status"))?,
            data: self.data.map(Wire::into_native).transpose()?,
        })
    }
}

impl Wire for WireStatus {
    type Native = Status;

    fn from_native(native: &Status) -> Self {
        Self {
            observed_generation: native.observed_generation.to_string(),
            conditions: native.conditions.iter().map(Wire::from_native).collect(),
            updated_at: native.updated_at,
        }
    }

    fn into_native(self) -> Result<Status, DecodeError> {
        let observed = self.observed_generation.parse().map_err(part("observed_generation"))?;
        let condition = |(at, condition): (usize, WireCondition)| {
            condition.into_native().map_err(|error| within(&error, &format!("[{at}]")))
        };
        let conditions = self.conditions.into_iter().enumerate().map(condition).collect::<Result<_, _>>();
        Ok(Status {
            observed_generation: observed,
            conditions: conditions.map_err(inner("conditions"))?,
            updated_at: self.updated_at,
        })
    }
}

impl Wire for WireCondition {
    type Native = Condition;

    fn from_native(native: &Condition) -> Self {
        Self {
            r#type: native.condition_type.clone(),
            state: native.state,
            reason: native.reason.clone(),
            message: native.message.clone(),
            resource: native
                .resource
                .as_ref()
                .map(|resource| WireReference::from_native(resource).with_tenancy()),
        }
    }

    fn into_native(self) -> Result<Condition, DecodeError> {
        let resource = self.resource.map(Wire::into_native).transpose();
        Ok(Condition {
            condition_type: self.r#type,
            state: self.state,
            reason: self.reason,
            message: self.message,
            resource: resource.map_err(inner("resource"))?,
        })
    }
}

impl Wire for WireAny {
    type Native = Data;

    fn from_native(native: &Data) -> Self {
        Self { type_url: native.type_url.clone(), value: native.value.clone() }
    }

    fn into_native(self) -> Result<Data, DecodeError> {
        Ok(Data { type_url: self.type_url, value: self.value })
    }
}

value_as!(Resource, WireResource, |_| false);
value_as!(Status, WireStatus, |_| false);
value_as!(Condition, WireCondition, |_| false);
value_as!(Data, WireAny, |_| false);
