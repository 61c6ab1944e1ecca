//! Output of resources as a table, JSON or YAML.

use serde_json::{Value as Json, json};

use crate::args::Output;
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::output::{Column, table};
use crate::remote::Found;

/// Prints one resource.
pub(super) fn print_one(resource: &Found, output: Output) -> Result<(), CliError> {
    match output {
        Output::Table => print(&rows(std::slice::from_ref(resource))),
        Output::Json => print_exact(&pretty(&resource.json)?),
        Output::Yaml => print_exact(&to_yaml(&resource.json)),
    }
}

/// Prints several resources.
pub(super) fn print_many(list: Vec<Found>, output: Output) -> Result<(), CliError> {
    if output == Output::Table {
        return print(&rows(&list));
    }
    let resources: Vec<Json> = list.into_iter().map(|resource| resource.json).collect();
    let document = json!({ "resources": resources });
    match output {
        Output::Yaml => print_exact(&to_yaml(&document)),
        _ => print_exact(&pretty(&document)?),
    }
}

fn pretty(json: &Json) -> Result<String, CliError> {
    Ok(serde_json::to_string_pretty(json)? + "\n")
}

fn rows(resources: &[Found]) -> String {
    let columns: [Column<'_, Found>; 4] = [
        ("NAME", &|resource| resource.name().to_owned()),
        ("PARTITION", &|resource| resource.partition().to_owned()),
        ("NAMESPACE", &|resource| resource.namespace().to_owned()),
        ("CONDITIONS", &conditions),
    ];
    table(&columns, resources)
}

/// Summarizes the conditions of a resource; those about an earlier generation have a question mark.
pub(super) fn conditions(resource: &Found) -> String {
    let words = resource.conditions().map(|(_, current, condition)| {
        let doubt = if current { "" } else { "?" };
        format!("{}={}{doubt}", condition.name, condition.state)
    });
    let deletion = resource.is_marked_for_deletion().then(|| "being deleted".to_owned());
    deletion.into_iter().chain(words).collect::<Vec<_>>().join(", ")
}
