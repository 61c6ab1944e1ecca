//! The outputs of a module, after the last line of a run.

use converge_core::engine::{OutputReport, OutputValue};
use converge_core::value::Value;
use converge_core::view::render::sanitize_line;

use crate::console::{BOLD, DIM, Paint};

/// Formats all outputs, or returns an empty text if there are none.
pub(super) fn outputs(outputs: &[OutputReport], paint: Paint) -> String {
    if outputs.is_empty() {
        return String::new();
    }
    format!("\n{}:\n{}", paint.paint(BOLD, "Outputs"), output_lines(outputs, "  ", paint))
}

/// Formats a line for each output: its name and its value as JSON, or why it has none.
pub(crate) fn output_lines(outputs: &[OutputReport], indent: &str, paint: Paint) -> String {
    let names: Vec<_> = outputs.iter().map(|output| sanitize_line(&output.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let line = |(name, output): (&std::borrow::Cow<'_, str>, &OutputReport)| {
        let value = match &output.value {
            OutputValue::Known(value) => sanitize_line(&written(value)).into_owned(),
            OutputValue::Sensitive => paint.paint(DIM, "(sensitive)"),
            OutputValue::Unknown => paint.paint(DIM, "(known after apply)"),
            // Later versions may have more reasons.
            _ => paint.paint(DIM, "(not known: a resource that it depends on failed or was not applied)"),
        };
        format!("{indent}{name:width$} = {value}\n")
    };
    names.iter().zip(outputs).map(line).collect()
}

/// Formats a value as JSON on one line.
pub(crate) fn written(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
}
