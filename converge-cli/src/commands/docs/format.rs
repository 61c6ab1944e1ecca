//! The forms in which `converge docs` writes.

use clap::ValueEnum;
use serde_json::Value;

use crate::error::CliError;

/// How to write what types are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Human,
    /// For programs: one JSON object for each type, on a line of its own.
    Json,
    /// A page of Markdown: of one type, or the list of all.
    Markdown,
    /// JSON Schema, draft 2020-12: of one type, of a whole module, or of a file of parameters.
    JsonSchema,
}

/// A JSON document that people read as well.
pub(super) fn document(value: &Value) -> Result<String, CliError> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
