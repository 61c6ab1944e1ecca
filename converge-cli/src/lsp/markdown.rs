//! Hover texts as Markdown.

use std::fmt::Write as _;

use converge_core::ResourceType;
use converge_core::assist::{About, AboutParam};

use crate::output::schema_text;

pub(super) fn about(topic: &About) -> String {
    match topic {
        About::Type(known) => describe_type(known, known.name()),
        About::Declared { name, file, known } => match known {
            Some(resource_type) => format!("{}\n\nin `{file}`", describe_type(resource_type, name)),
            None => format!("`{name}`, in `{file}`"),
        },
        About::Field(field) => {
            joined(&format!("`{}`: {}", field.name, schema_text::describe_field(field)), field.doc)
        }
        About::Param(param) => describe_value("parameter", param),
        About::Output(output) => describe_value("output", output),
        About::Module { file, params } => {
            let mut text = format!("module `{file}`\n");
            for param in params {
                let _ = write!(text, "\n- {}", describe_value("parameter", param).replace("\n\n", ": "));
            }
            text
        }
        About::Export { of, export } => {
            let availability = if export.computed { ", known after apply" } else { "" };
            joined(&format!("`{}`: export of `{of}`{availability}", export.name), export.doc)
        }
        About::Function { signature, doc, example } => {
            let mut text = joined(&format!("`{signature}`"), doc);
            if let Some((call, output)) = example {
                let _ = write!(text, "\n\n`{call}` is `{output}`");
            }
            text
        }
        // A later version of the library may add cases.
        _ => String::new(),
    }
}

fn joined(head: &str, doc: &str) -> String {
    if doc.trim().is_empty() { head.to_owned() } else { format!("{head}\n\n{}", doc.trim()) }
}

fn describe_type(resource_type: &ResourceType, name: &str) -> String {
    let mut text = joined(&format!("`{name}`"), resource_type.schema().doc);
    for fact in schema_text::describe_type(resource_type) {
        let _ = write!(text, "\n- {fact}");
    }
    text
}

fn describe_value(title: &str, param: &AboutParam) -> String {
    let summary = param.summary();
    let colon = if summary.is_empty() { "" } else { ": " };
    joined(&format!("{title} `{}`{colon}{summary}", param.name), &param.description)
}
