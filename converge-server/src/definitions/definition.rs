//! The stored type for the `.proto` files of a group.

use std::collections::BTreeMap;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Finalizer, StoredResource, Typed};

use super::definition_files;

/// The maximum number of files of a definition.
const FILES: usize = 64;
/// The maximum size of all files together in bytes.
const BYTES: usize = 256 * 1024;
/// The maximum length of a path in characters.
const PATH: usize = 200;
/// The maximum number of brackets in all files together, because each may be one more level of nesting.
const BRACKETS: usize = 8 * 1024;

/// Types of resources as `.proto` files: messages with the option `(converge.resource.spec)`.
///
/// The server knows the types as long as this resource exists. Its name is the group of the types with `-`
/// for `_`, and it has all files of that group. For example, the types `demo.v1.Album` and `demo.v2.Album`
/// are in the definition `demo`.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = cluster, validate = TypeDefinition::check)]
pub(crate) struct TypeDefinition {
    /// The texts of the files by the paths under which they import each other.
    ///
    /// Files below `converge/resource` and `google/protobuf` come with the server.
    #[stored(tag = 1)]
    pub files: BTreeMap<String, String>,
    /// The purpose of the types.
    #[stored(tag = 2)]
    pub description: String,
}

impl TypeDefinition {
    /// Returns the finalizer that keeps a definition while resources of its types exist.
    pub(crate) fn finalizer() -> Option<Finalizer> {
        "converge.types/definitions".parse().ok()
    }

    /// Returns the group of the types.
    pub(crate) fn group(name: &str) -> String {
        name.replace('-', "_")
    }

    /// Checks everything that needs no compilation.
    fn check(definition: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(definition.owner().is_none(), "a definition of types has no owner");
        let group = Self::group(definition.id().name.as_str());
        if let Err(error) = group.parse::<converge_controller::Group>() {
            let mut id = invalid.field("id");
            id.field("name").add(format!("is not that of a group of types: {error}"));
        }
        let mut files = invalid.field("files");
        files.require(!definition.files.is_empty(), Cause::Missing);
        if definition.files.len() > FILES {
            files.add(format!("has {} files: a definition has at most {FILES}", definition.files.len()));
        }
        let bytes: usize = definition.files.values().map(String::len).sum();
        if bytes > BYTES {
            files.add(format!("has {bytes} bytes of text: a definition has at most {BYTES}"));
        }
        let is_bracket = |byte: &u8| matches!(byte, b'{' | b'[' | b'(' | b'<');
        let brackets: usize =
            definition.files.values().map(|text| text.bytes().filter(is_bracket).count()).sum();
        if brackets > BRACKETS {
            files.add(format!("has {brackets} opening brackets: a definition has at most {BRACKETS}"));
        }
        for path in definition.files.keys() {
            if let Err(problem) = check_path(path) {
                files.key(path).add(problem);
            }
        }
        invalid.finish()
    }
}

/// Checks that a path can be imported, and that no file of the server has it.
fn check_path(path: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_step = |step: &str| !step.is_empty() && !step.starts_with('.') && step.chars().all(is_plain);
    if path.len() > PATH {
        return Err(format!("is a path of more than {PATH} characters"));
    }
    if path.strip_suffix(".proto").is_none() || !path.split('/').all(is_step) {
        return Err("is not a path like demo/v1/album.proto: letters, digits, _, - and ., with / between folders, and none that begins with a dot".to_owned());
    }
    if definition_files::is_builtin(path) {
        return Err("comes with the server: leave it out".to_owned());
    }
    Ok(())
}
