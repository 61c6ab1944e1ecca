//! Between messages and resources.

use std::fmt::Display;

use super::{RecordError, message};
use crate::identity::{Id, Reference, Tenancy, Type};
use crate::resource::{Condition, ConditionState, Data, Metadata, Resource, Status};

/// The error of a field.
fn field<E: Display>(field: &'static str) -> impl FnOnce(E) -> RecordError {
    move |reason| RecordError::Field { field, reason: reason.to_string() }
}

/// A message that has to be there.
fn required<T>(message: Option<T>, name: &'static str) -> Result<T, RecordError> {
    message.ok_or_else(|| field(name)("it is missing"))
}

/// The value of a text, where an empty one means that there is none.
fn optional<T: std::str::FromStr<Err: Display>>(
    text: &str,
    name: &'static str,
) -> Result<Option<T>, RecordError> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(field(name)) }
}

/// The text of a value, empty where there is none.
fn text<T: Display>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

impl From<&Resource> for message::Resource {
    fn from(resource: &Resource) -> Self {
        let status = resource.status.iter().map(|(key, status)| (key.as_str().to_owned(), status.into()));
        Self {
            id: Some((&resource.id).into()),
            owner: resource.owner.as_ref().map(Into::into),
            version: text(resource.version.as_ref()),
            generation: text(resource.generation.as_ref()),
            metadata: resource.metadata.clone().into(),
            status: status.collect(),
            data: resource
                .data
                .as_ref()
                .map(|data| message::Any { type_url: data.type_url.clone(), value: data.value.clone() }),
        }
    }
}

impl TryFrom<message::Resource> for Resource {
    type Error = RecordError;

    fn try_from(resource: message::Resource) -> Result<Self, RecordError> {
        let status = |(key, status): (String, message::Status)| {
            Ok::<_, RecordError>((key.parse().map_err(field("status"))?, status.try_into()?))
        };
        Ok(Self {
            id: required(resource.id, "id")?.try_into()?,
            owner: resource.owner.map(TryInto::try_into).transpose()?,
            version: optional(&resource.version, "version")?,
            generation: optional(&resource.generation, "generation")?,
            metadata: Metadata::try_from(resource.metadata).map_err(field("metadata"))?,
            status: resource.status.into_iter().map(status).collect::<Result<_, _>>()?,
            data: resource.data.map(|data| Data { type_url: data.type_url, value: data.value }),
        })
    }
}

impl From<&Type> for message::Type {
    fn from(of: &Type) -> Self {
        Self {
            group: of.group.as_str().to_owned(),
            group_version: of.group_version.as_str().to_owned(),
            kind: of.kind.as_str().to_owned(),
        }
    }
}

impl TryFrom<message::Type> for Type {
    type Error = RecordError;

    fn try_from(of: message::Type) -> Result<Self, RecordError> {
        Ok(Self {
            group: of.group.parse().map_err(field("type.group"))?,
            group_version: of.group_version.parse().map_err(field("type.group_version"))?,
            kind: of.kind.parse().map_err(field("type.kind"))?,
        })
    }
}

impl From<&Tenancy> for message::Tenancy {
    fn from(tenancy: &Tenancy) -> Self {
        Self { partition: text(tenancy.partition()), namespace: text(tenancy.namespace()) }
    }
}

impl TryFrom<message::Tenancy> for Tenancy {
    type Error = RecordError;

    fn try_from(tenancy: message::Tenancy) -> Result<Self, RecordError> {
        Self::from_units(&tenancy.partition, &tenancy.namespace).map_err(field("tenancy"))
    }
}

impl From<&Id> for message::Id {
    fn from(id: &Id) -> Self {
        Self {
            r#type: Some((&id.resource_type).into()),
            tenancy: Some((&id.tenancy).into()),
            name: id.name.as_str().to_owned(),
            uid: text(id.uid.as_ref()),
        }
    }
}

impl TryFrom<message::Id> for Id {
    type Error = RecordError;

    fn try_from(id: message::Id) -> Result<Self, RecordError> {
        Ok(Self {
            resource_type: required(id.r#type, "id.type")?.try_into()?,
            tenancy: id.tenancy.unwrap_or_default().try_into()?,
            name: id.name.parse().map_err(field("id.name"))?,
            uid: optional(&id.uid, "id.uid")?,
        })
    }
}

impl From<&Reference> for message::Reference {
    fn from(reference: &Reference) -> Self {
        Self {
            r#type: Some((&reference.resource_type).into()),
            tenancy: Some((&reference.tenancy).into()),
            name: reference.name.as_str().to_owned(),
            section: reference.section.clone(),
        }
    }
}

impl TryFrom<message::Reference> for Reference {
    type Error = RecordError;

    fn try_from(reference: message::Reference) -> Result<Self, RecordError> {
        Ok(Self {
            resource_type: required(reference.r#type, "reference.type")?.try_into()?,
            tenancy: reference.tenancy.unwrap_or_default().try_into()?,
            name: reference.name.parse().map_err(field("reference.name"))?,
            section: reference.section,
        })
    }
}

impl From<&Status> for message::Status {
    fn from(status: &Status) -> Self {
        Self {
            observed_generation: status.observed_generation.to_string(),
            conditions: status.conditions.iter().map(Into::into).collect(),
            updated_at: status.updated_at.map(|time| message::Timestamp {
                seconds: time.as_second(),
                nanos: time.subsec_nanosecond(),
            }),
        }
    }
}

impl TryFrom<message::Status> for Status {
    type Error = RecordError;

    fn try_from(status: message::Status) -> Result<Self, RecordError> {
        let time = |time: message::Timestamp| jiff::Timestamp::new(time.seconds, time.nanos);
        Ok(Self {
            observed_generation: status
                .observed_generation
                .parse()
                .map_err(field("status.observed_generation"))?,
            conditions: status.conditions.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            updated_at: status.updated_at.map(time).transpose().map_err(field("status.updated_at"))?,
        })
    }
}

impl From<&Condition> for message::Condition {
    fn from(condition: &Condition) -> Self {
        Self {
            r#type: condition.condition_type.clone(),
            state: match condition.state {
                ConditionState::Unknown => 0,
                ConditionState::True => 1,
                ConditionState::False => 2,
            },
            reason: condition.reason.clone(),
            message: condition.message.clone(),
            resource: condition.resource.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<message::Condition> for Condition {
    type Error = RecordError;

    fn try_from(condition: message::Condition) -> Result<Self, RecordError> {
        Ok(Self {
            condition_type: condition.r#type,
            state: match condition.state {
                0 => ConditionState::Unknown,
                1 => ConditionState::True,
                2 => ConditionState::False,
                other => return Err(field("condition.state")(format!("there is no state {other}"))),
            },
            reason: condition.reason,
            message: condition.message,
            resource: condition.resource.map(TryInto::try_into).transpose()?,
        })
    }
}
