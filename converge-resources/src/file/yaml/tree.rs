//! The tree of a YAML text that is edited.

use converge_sdk::value::yaml::{Documents, Node, YamlError, YamlErrorKind};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 100;

/// Parses the only document of a text, or returns `None` if the text has no content.
///
/// # Errors
///
/// Returns an error if the text is not YAML, or has several documents.
pub(super) fn parse(text: &str) -> Result<Option<Node>, String> {
    let mut documents = Documents::new(text, MAX_DEPTH);
    let root = documents.next_document().map_err(refused)?;
    match documents.next_document().map_err(refused)? {
        Some(second) => {
            Err(format!("there is a second document in line {}: only one is edited", second.line))
        }
        None => Ok(root),
    }
}

fn refused(YamlError { line, kind, .. }: YamlError) -> String {
    match kind {
        YamlErrorKind::DuplicateKey(key) => format!("line {line}: the key {key:?} is written twice"),
        kind => format!("it is not YAML: line {line}: {kind}"),
    }
}
