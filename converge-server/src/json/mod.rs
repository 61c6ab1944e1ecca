//! Resources as JSON.
//!
//! Data are in the JSON format of protobuf, with fields named as in the `.proto` file. Unknown fields are
//! refused, so that a misspelt field is not lost. Duplicates are refused as well.

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

/// The optional field of data that names their type.
const TYPE: &str = "@type";

/// Converts resources of known types to and from JSON.
#[derive(Clone, Debug)]
pub(crate) struct Codec(DescriptorPool);

/// A reason why JSON is no valid resource.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    #[error("{0} does not describe its data, so they cannot be shown as JSON")]
    NoMessage(Box<Type>),
    #[error("this is not a resource: {0}")]
    Resource(serde_json::Error),
    #[error("data have to be an object")]
    NoObject,
    #[error("data have the type {got}, and must be {expected}")]
    OtherType { got: Value, expected: String },
    #[error("data are not of {resource_type}: {}{source}", json_path::shown(path))]
    Data { resource_type: Box<Type>, path: Path, source: serde_json::Error },
    #[error("the data of {id} cannot be shown: {source}")]
    Stored { id: Box<Id>, source: Box<dyn Error + Send + Sync> },
}

impl Codec {
    /// Creates a codec for the types of a registry.
    ///
    /// # Errors
    ///
    /// The types cannot be described together.
    pub(crate) fn new(types: &TypeRegistry) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let set = types.files()?.descriptor_set();
        Ok(Self(DescriptorPool::decode(set.as_slice())?))
    }

    /// Creates a codec for the types of a pool.
    pub(crate) fn from_pool(pool: DescriptorPool) -> Self {
        Self(pool)
    }

    /// Converts a resource to JSON.
    pub(crate) fn encode(&self, resource: &Resource) -> Result<Value, JsonError> {
        let Resource { data, .. } = resource;
        // The resource is converted without its data, which would appear as bytes.
        let stored = |source: Box<dyn Error + Send + Sync>| JsonError::Stored {
            id: Box::new(resource.id.clone()),
            source,
        };
        let envelope = Resource { data: None, ..resource.clone() };
        let mut json = serde_json::to_value(envelope).map_err(|error| stored(error.into()))?;
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

    /// Converts JSON back to a resource that was [encoded](Self::encode).
    ///
    /// # Errors
    ///
    /// The JSON is no resource, or its type is unknown.
    pub(crate) fn decode(&self, mut json: Value) -> Result<Resource, JsonError> {
        let data = json.as_object_mut().and_then(|fields| fields.remove("data"));
        let mut resource: Resource = serde_json::from_value(json).map_err(JsonError::Resource)?;
        resource.data = data.map(|data| self.data(&resource.id.resource_type, data)).transpose()?;
        Ok(resource)
    }

    /// Converts the data of a type.
    pub(crate) fn data(&self, resource_type: &Type, json: Value) -> Result<Data, JsonError> {
        let Value::Object(mut fields) = json else { return Err(JsonError::NoObject) };
        let expected = Data::url_of(resource_type);
        if let Some(got) = fields.remove(TYPE).filter(|actual| *actual != *expected) {
            return Err(JsonError::OtherType { got, expected });
        }
        let descriptor = self.message(resource_type)?;
        let error =
            |(path, source)| JsonError::Data { resource_type: Box::new(resource_type.clone()), path, source };
        duplicate_keys::refuse_in_message(&descriptor, &fields).map_err(error)?;
        let mut track = serde_path_to_error::Track::new();
        let tracked = serde_path_to_error::Deserializer::new(Value::Object(fields), &mut track);
        let message = DynamicMessage::deserialize(descriptor, tracked);
        let message =
            message.map_err(|source| error((place_of(Some("data"), &track.path()), with_form(source))))?;
        Ok(Data::new(resource_type, message.encode_to_vec()))
    }

    /// Returns the descriptors of all types.
    pub(crate) fn pool(&self) -> &DescriptorPool {
        &self.0
    }

    fn message(&self, resource_type: &Type) -> Result<MessageDescriptor, JsonError> {
        let message = self.0.get_message_by_name(&resource_type.message_name());
        message.ok_or_else(|| JsonError::NoMessage(Box::new(resource_type.clone())))
    }
}

/// Replaces the parse error of a duration or time with one that shows the expected format.
fn with_form(error: serde_json::Error) -> serde_json::Error {
    const FORMS: [(&str, &str); 2] = [
        ("failed to parse duration", "write a duration as a number of seconds, as in \"90s\" or \"0.5s\""),
        ("invalid rfc3339 timestamp", "write a time as in \"2026-11-27T18:30:00Z\""),
    ];
    let message = error.to_string();
    let form = FORMS.iter().find(|(words, _)| message.starts_with(words));
    form.map_or(error, |(_, form)| serde::de::Error::custom(form))
}

/// Wraps resources as a list.
pub(crate) fn list(resources: Vec<Value>) -> Value {
    Value::Object(Map::from_iter([("resources".to_owned(), Value::Array(resources))]))
}
