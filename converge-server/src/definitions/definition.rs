//! The `.proto` files of a group, as a resource.

use std::collections::BTreeMap;

use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Finalizer, StoredResource, Typed};

use super::definition_files;

/// How many files one has.
const FILES: usize = 64;
/// How many bytes they have together.
const BYTES: usize = 256 * 1024;
/// How many characters the path of one has.
const PATH: usize = 200;
/// How many brackets they have together: each may be one more step into what is in something else.
const BRACKETS: usize = 8 * 1024;

/// Types of resources, as `.proto` files: messages with the option `(converge.resource.spec)`. The server knows them as long as this is there.
///
/// It is called like the group of the types, with `-` for `_`, and has all files of that group: those of the types `demo.v1.Album` and `demo.v2.Album`
/// are in the definition `demo`.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = cluster, validate = TypeDefinition::check)]
pub(crate) struct TypeDefinition {
    /// The texts of the files by their paths, as they import each other. What is below `converge/resource` and `google/protobuf` comes with the
    /// server.
    #[stored(tag = 1)]
    pub files: BTreeMap<String, String>,
    /// What the types are for.
    #[stored(tag = 2)]
    pub description: String,
}

impl TypeDefinition {
    /// What keeps it until nothing of its types is left.
    pub(crate) fn finalizer() -> Option<Finalizer> {
        "converge.types/definitions".parse().ok()
    }

    /// The group of its types.
    pub(crate) fn group(name: &str) -> String {
        name.replace('-', "_")
    }

    /// What can be said without compiling anything.
    fn check(definition: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("owner").require(definition.owner().is_none(), "nothing owns a definition of types");
        let group = Self::group(definition.id().name.as_str());
        if let Err(wrong) = group.parse::<converge_controller::Group>() {
            let mut id = invalid.field("id");
            id.field("name").add(format!("is not that of a group of types: {wrong}"));
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

/// Checks that others can import a file, and that it is not one that comes with the server.
fn check_path(path: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_step = |step: &str| !step.is_empty() && !step.starts_with('.') && step.chars().all(is_plain);
    if path.len() > PATH {
        return Err(format!("is a path of more than {PATH} characters"));
    }
    if path.strip_suffix(".proto").is_none() || !path.split('/').all(is_step) {
        return Err("is not a path like demo/v1/album.proto: letters, digits, _, - and ., with / between folders, and none that begins with a dot".to_owned());
    }
    if definition_files::is_given(path) {
        return Err("comes with the server: leave it out".to_owned());
    }
    Ok(())
}
