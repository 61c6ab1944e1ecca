//! Hover texts as Markdown.

use std::fmt::Write as _;

use converge_core::ResourceType;
use converge_core::assist::{About, AboutParam};

use crate::output::schema_text;

pub(super) fn about(about: &About) -> String {
    match about {
        About::Type(known) => of_type(known, known.name()),
        About::Declared { name, file, known } => match known {
            Some(known) => format!("{}\n\nin `{file}`", of_type(known, name)),
            None => format!("`{name}`, in `{file}`"),
        },
        About::Field(field) => {
            joined(&format!("`{}`: {}", field.name, schema_text::of_field(field)), field.doc)
        }
        About::Param(param) => of_value("parameter", param),
        About::Output(output) => of_value("output", output),
        About::Module { file, params } => {
            let mut text = format!("module `{file}`\n");
            for param in params {
                let _ = write!(text, "\n- {}", of_value("parameter", param).replace("\n\n", ": "));
            }
            text
        }
        About::Export { of, export } => {
            let when = if export.computed { ", known after apply" } else { "" };
            joined(&format!("`{}`: export of `{of}`{when}", export.name), export.doc)
        }
        About::Function { signature, doc, example } => {
            let mut text = joined(&format!("`{signature}`"), doc);
            if let Some((call, gives)) = example {
                let _ = write!(text, "\n\n`{call}` is `{gives}`");
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

fn of_type(known: &ResourceType, name: &str) -> String {
    let mut text = joined(&format!("`{name}`"), known.schema().doc);
    for fact in schema_text::of_type(known) {
        let _ = write!(text, "\n- {fact}");
    }
    text
}

fn of_value(what: &str, param: &AboutParam) -> String {
    let summary = param.summary();
    let colon = if summary.is_empty() { "" } else { ": " };
    joined(&format!("{what} `{}`{colon}{summary}", param.name), &param.description)
}
