//! The construction of the `OpenAPI` document.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use converge_controller::protobuf::{EnumDescriptor, MessageDescriptor as Described};
use converge_controller::registry::Registration;
use prost_reflect::{DescriptorPool, FileDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::common::{self, METADATA, REFERENCE, STATUS};
use super::fields::{self, reference, well_known};
use super::paths;

/// The message of a resource id, which built-in types contain as well.
const ID: &str = "converge.resource.Id";

/// The `OpenAPI` document under construction.
pub(super) struct Document<'a> {
    pool: &'a DescriptorPool,
    /// The documentation by the full name of a message, an enum or a field.
    docs: BTreeMap<String, Cow<'static, str>>,
    paths: Map<String, Value>,
    schemas: BTreeMap<String, Value>,
    /// The names and scopes of the types.
    types: Vec<Value>,
    /// The messages whose schemas are complete or under construction.
    seen: BTreeSet<String>,
}

impl<'a> Document<'a> {
    pub(super) fn new(pool: &'a DescriptorPool) -> Self {
        let mentioned = match pool.get_message_by_name(REFERENCE) {
            Some(_) => reference(REFERENCE),
            None => json!({ "type": "object" }),
        };
        let schemas = common::schemas(&mentioned);
        let schemas = schemas.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
        let (docs, types, seen) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        Self { pool, docs, paths: paths::common_paths(), schemas, types, seen }
    }

    pub(super) fn describe_message(&mut self, message: &Described) {
        let name = format!("{}.{}", message.package, message.name);
        for field in &message.fields {
            self.docs.insert(format!("{name}.{}", field.name), field.doc.into());
        }
        for oneof in &message.oneofs {
            self.docs.insert(format!("{name}.{}", oneof.name), oneof.doc.into());
        }
        self.docs.insert(name, message.doc.into());
    }

    pub(super) fn describe_enum(&mut self, descriptor: &EnumDescriptor) {
        self.docs.insert(format!("{}.{}", descriptor.package, descriptor.name), descriptor.doc.into());
    }

    /// Adds the comments of a file as documentation.
    pub(super) fn describe_file(&mut self, file: &FileDescriptor) {
        let info = file.file_descriptor_proto().source_code_info.as_ref();
        let comments = info.into_iter().flat_map(|info| &info.location);
        let comments: BTreeMap<&[i32], &str> = comments
            .filter_map(|location| Some((&*location.path, location.leading_comments.as_deref()?)))
            .collect();
        let mut describe = |name: &str, path: &[i32]| {
            if let Some(comment) = comments.get(path) {
                let lines: Vec<_> = comment.lines().map(str::trim).collect();
                self.docs.insert(name.to_owned(), lines.join("\n").into());
            }
        };
        let mut waiting: Vec<_> = file.messages().collect();
        let mut enums: Vec<_> = file.enums().collect();
        while let Some(message) = waiting.pop() {
            describe(message.full_name(), message.path());
            message.fields().for_each(|field| describe(field.full_name(), field.path()));
            message.oneofs().for_each(|oneof| describe(oneof.full_name(), oneof.path()));
            waiting.extend(message.child_messages());
            enums.extend(message.child_enums());
        }
        for descriptor in enums {
            describe(descriptor.full_name(), descriptor.path());
        }
    }

    /// Adds a type.
    ///
    /// A type that does not describe its data gets no schema.
    pub(super) fn add(&mut self, registration: &Registration) {
        let Registration { resource_type, scope, .. } = registration;
        let message = self.pool.get_message_by_name(&resource_type.message_name());
        let name = resource_type.to_string();
        let mut properties = json!({
            "id": reference(ID),
            "owner": reference(ID),
            "version": { "type": "string" },
            "generation": { "type": "string", "readOnly": true },
            "metadata": reference(METADATA),
            "status": { "type": "object", "additionalProperties": reference(STATUS), "readOnly": true },
        });
        for type_name in [ID, REFERENCE] {
            if let Some(message) = self.pool.get_message_by_name(type_name) {
                self.message(&message);
            }
        }
        if let Some(message) = &message {
            properties["data"] = reference(message.full_name());
            self.message(message);
        }
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let docs = message.and_then(|message| self.docs.get(message.full_name()).cloned());
        self.schemas.insert(name.clone(), described(schema, docs.as_deref()));
        self.types.push(json!({
            "type": resource_type, "scope": scope, "schema": format!("#/components/schemas/{name}"),
        }));
        self.paths.extend(paths::type_paths(resource_type, *scope, &name));
    }

    pub(super) fn finish(self) -> Value {
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Converge",
                "description": "Resources that are stored, watched and reconciled.",
                "version": env!("CARGO_PKG_VERSION"),
                "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            },
            "paths": self.paths,
            "components": { "schemas": self.schemas, "responses": { "Refusal": paths::refusal() },
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } } },
            // The token is optional, because authentication may be disabled.
            "security": [{ "token": [] }, {}],
            "x-converge-types": self.types,
        })
    }

    /// Adds the schemas of a message and of all messages that it contains.
    fn message(&mut self, message: &MessageDescriptor) {
        // A message may contain itself, so each one is only visited once.
        if well_known(message).is_some() || !self.seen.insert(message.full_name().to_owned()) {
            return;
        }
        let mut properties = Map::new();
        for field in message.fields() {
            let docs = self.docs.get(field.full_name()).cloned();
            properties.insert(field.name().to_owned(), described(fields::field(&field), docs.as_deref()));
            self.kind(&field.kind());
        }
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let oneofs = message.oneofs().filter(|oneof| !oneof.is_synthetic());
        let oneofs: Vec<_> = oneofs
            .map(|oneof| {
                described(fields::oneof(&oneof), self.docs.get(oneof.full_name()).map(AsRef::as_ref))
            })
            .collect();
        if !oneofs.is_empty() {
            schema["allOf"] = Value::Array(oneofs);
        }
        let docs = self.docs.get(message.full_name()).cloned();
        self.schemas.insert(message.full_name().to_owned(), described(schema, docs.as_deref()));
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Message(entry) if entry.is_map_entry() => self.kind(&entry.map_entry_value_field().kind()),
            Kind::Message(message) => self.message(message),
            Kind::Enum(it) => {
                let names: Vec<_> = it.values().map(|value| value.name().to_owned()).collect();
                let docs = self.docs.get(it.full_name()).cloned();
                let schema = described(json!({ "type": "string", "enum": names }), docs.as_deref());
                self.schemas.insert(it.full_name().to_owned(), schema);
            }
            _ => {}
        }
    }
}

/// Adds documentation to a schema, if there is any.
fn described(mut schema: Value, docs: Option<&str>) -> Value {
    if let (Value::Object(words), Some(docs)) = (&mut schema, docs.filter(|docs| !docs.is_empty())) {
        words.insert("description".to_owned(), docs.trim().into());
    }
    schema
}
