//! Resources as JSON.
//!
//! Data are the JSON of protobuf for the message of their type, with fields named as in the `.proto` file. What a type does not have is
//! refused, so that a misspelt field is not lost, and so is what is said twice.

mod duplicate_keys;
mod json_path;
#[cfg(test)]
mod tests;

use std::error::Error;

use converge_controller::registry::TypeRegistry;
use converge_controller::{Data, Id, Resource, Type};
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::{Map, Value};

pub(crate) use duplicate_keys::refuse_in_text;
pub(crate) use json_path::{Path, Place, path_of, place_of};

/// What data may say of their own type.
const TYPE: &str = "@type";

/// Turns resources into JSON and back, for the types that a service knows.
#[derive(Clone, Debug)]
pub(crate) struct Codec(DescriptorPool);

/// Something is not JSON of a resource.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    #[error("{0} says nothing of its data, so that there is no JSON of them")]
    NoMessage(Box<Type>),
    #[error("this is not a resource: {0}")]
    Resource(serde_json::Error),
    #[error("data have to be an object")]
    NoObject,
    #[error("data say that they are {got}, and have to be {expected}")]
    OtherType { got: Value, expected: String },
    #[error("data are not of {resource_type}: {}{source}", json_path::shown(path))]
    Data { resource_type: Box<Type>, path: Path, source: serde_json::Error },
    #[error("the data of {id} cannot be shown: {source}")]
    Stored { id: Box<Id>, source: Box<dyn Error + Send + Sync> },
}

impl Codec {
    /// # Errors
    ///
    /// The types cannot be described together.
    pub(crate) fn new(types: &TypeRegistry) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let set = types.files()?.descriptor_set();
        Ok(Self(DescriptorPool::decode(set.as_slice())?))
    }

    /// For what a pool describes.
    pub(crate) fn of(pool: DescriptorPool) -> Self {
        Self(pool)
    }

    /// A resource as it is read.
    pub(crate) fn encode(&self, resource: &Resource) -> Result<Value, JsonError> {
        let Resource { data, .. } = resource;
        // Everything but the data, which are not shown as bytes.
        let stored = |source: Box<dyn Error + Send + Sync>| JsonError::Stored {
            id: Box::new(resource.id.clone()),
            source,
        };
        let bare = Resource { data: None, ..resource.clone() };
        let mut json = serde_json::to_value(bare).map_err(|error| stored(error.into()))?;
        if let (Value::Object(fields), Some(data)) = (&mut json, data) {
            let descriptor = self.message(&resource.id.resource_type)?;
            let message = DynamicMessage::decode(descriptor, data.value.clone());
            let message = message.map_err(|error| stored(error.into()))?;
            let options = SerializeOptions::new().use_proto_field_name(true);
            let message = message.serialize_with_options(serde_json::value::Serializer, &options);
            fields.insert("data".to_owned(), message.map_err(|error| stored(error.into()))?);
        }
        Ok(json)
    }

    /// A resource that was [encoded](Self::encode).
    ///
    /// # Errors
    ///
    /// It is not one, or of a type that is not known.
    pub(crate) fn decode(&self, mut json: Value) -> Result<Resource, JsonError> {
        let data = json.as_object_mut().and_then(|fields| fields.remove("data"));
        let mut resource: Resource = serde_json::from_value(json).map_err(JsonError::Resource)?;
        resource.data = data.map(|data| self.data(&resource.id.resource_type, data)).transpose()?;
        Ok(resource)
    }

    /// The data of a type.
    pub(crate) fn data(&self, resource_type: &Type, json: Value) -> Result<Data, JsonError> {
        let Value::Object(mut fields) = json else { return Err(JsonError::NoObject) };
        let expected = Data::url_of(resource_type);
        if let Some(got) = fields.remove(TYPE).filter(|got| *got != *expected) {
            return Err(JsonError::OtherType { got, expected });
        }
        let descriptor = self.message(resource_type)?;
        let wrong =
            |(path, source)| JsonError::Data { resource_type: Box::new(resource_type.clone()), path, source };
        duplicate_keys::refuse_in_message(&descriptor, &fields).map_err(wrong)?;
        let mut track = serde_path_to_error::Track::new();
        let tracked = serde_path_to_error::Deserializer::new(Value::Object(fields), &mut track);
        let message = DynamicMessage::deserialize(descriptor, tracked);
        let message =
            message.map_err(|source| wrong((place_of(Some("data"), &track.path()), with_form(source))))?;
        Ok(Data::new(resource_type, message.encode_to_vec()))
    }

    /// Everything that the types hold, as protobuf describes it.
    pub(crate) fn pool(&self) -> &DescriptorPool {
        &self.0
    }

    fn message(&self, resource_type: &Type) -> Result<MessageDescriptor, JsonError> {
        let message = self.0.get_message_by_name(&resource_type.message_name());
        message.ok_or_else(|| JsonError::NoMessage(Box::new(resource_type.clone())))
    }
}

/// The error with the form of what it is about, where it only says that the text has another one.
fn with_form(error: serde_json::Error) -> serde_json::Error {
    const FORMS: [(&str, &str); 2] = [
        ("failed to parse duration", "a duration is a number of seconds, as in \"90s\" or \"0.5s\""),
        ("invalid rfc3339 timestamp", "a time is written as in \"2026-11-27T18:30:00Z\""),
    ];
    let said = error.to_string();
    let form = FORMS.iter().find(|(words, _)| said.starts_with(words));
    form.map_or(error, |(_, form)| serde::de::Error::custom(form))
}

/// Many resources.
pub(crate) fn list(resources: Vec<Value>) -> Value {
    Value::Object(Map::from_iter([("resources".to_owned(), Value::Array(resources))]))
}
