//! What can be asked over HTTP, as a document of [OpenAPI](https://spec.openapis.org/oas/v3.1.1.html) that knows every registered type.
//!
//! The schemas are made of what protobuf knows of the types, with the documentation of their Rust types. So a program that has
//! never seen a type can check, or offer to write, its data.

mod common;
mod document;
mod fields;
mod paths;
#[cfg(test)]
mod tests;

use converge_controller::protobuf::{Declaration, DescriptorError};
use converge_controller::registry::TypeRegistry;
use prost_reflect::DescriptorPool;
use serde_json::Value;

use document::Document;

use crate::definitions::FOLDER;

/// The document for these types, which `pool` describes.
pub(crate) fn document(types: &TypeRegistry, pool: &DescriptorPool) -> Result<Value, DescriptorError> {
    let files = types.files()?;
    let mut document = Document::new(pool);
    for declaration in files.iter().flat_map(|file| &file.declarations) {
        match declaration {
            Declaration::Message(message) => document.describe_message(message),
            Declaration::Enum(it) => document.describe_enum(it),
        }
    }
    for file in pool.files().filter(|file| file.name().starts_with(FOLDER)) {
        document.describe_file(&file);
    }
    for registration in types.iter() {
        document.add(registration);
    }
    Ok(document.finish())
}
