//! Parameters as YAML.

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, FileId, Span};
use converge_language::language::decode_yaml;
use converge_value::types::value::Value;

pub(super) fn read(text: &str, file: FileId) -> Result<IndexMap<String, Value>, Diagnostic> {
    match decode_yaml(text) {
        Ok(Value::Map(values)) => Ok(values.into()),
        // A file in which everything is a comment sets nothing.
        Ok(Value::Null) => Ok(IndexMap::new()),
        Ok(value) => {
            let message = format!("parameters must be a YAML map, not {}", value.kind());
            Err(Diagnostic::error("not-yaml", message)
                .label(Span::new(file, 0, text.len()), "")
                .help("write it like `name: value`"))
        }
        Err((line, message)) => {
            let lines = || text.split_inclusive('\n').take(line);
            let end: usize = lines().map(str::len).sum();
            let start = end - lines().last().map_or(0, str::len);
            Err(Diagnostic::error("not-yaml", format!("this is not valid YAML: {message}"))
                .label(Span::new(file, start, end), ""))
        }
    }
}

/// Returns whether a text is YAML with a key for each parameter.
pub(super) fn is_map(text: &str) -> bool {
    matches!(decode_yaml(text), Ok(Value::Map(_)))
}
