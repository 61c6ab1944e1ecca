//! The HTTP API as an [OpenAPI](https://spec.openapis.org/oas/v3.1.1.html) document.
//!
//! The schemas are derived from the protobuf descriptors, with the documentation of the Rust types. A program
//! can therefore check or complete the data of a type that it does not know.

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

/// Returns the document for these types, whose descriptors are in `pool`.
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
