//! The output formats of `converge docs`.

use clap::ValueEnum;
use serde_json::Value;

use crate::error::CliError;

/// The output format of descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people
    Human,
    /// JSON for programs: one object for each type, on a line of its own
    Json,
    /// A page of Markdown: of one type, or the list of all
    Markdown,
    /// JSON Schema, draft 2020-12: of one type, of a whole module, or of a file of parameters
    JsonSchema,
}

/// Formats a JSON document with indentation.
pub(super) fn document(value: &Value) -> Result<String, CliError> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
