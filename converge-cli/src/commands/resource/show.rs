//! Output of resources as a table, JSON or YAML.

use serde_json::{Value as Json, json};

use crate::args::Output;
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::output::{Column, table};
use crate::remote::Found;

/// Prints one resource.
pub(super) fn one(found: &Found, output: Output) -> Result<(), CliError> {
    match output {
        Output::Table => print(&rows(std::slice::from_ref(found))),
        Output::Json => print_exact(&pretty(&found.json)?),
        Output::Yaml => print_exact(&to_yaml(&found.json)),
    }
}

/// Prints several resources.
pub(super) fn many(found: Vec<Found>, output: Output) -> Result<(), CliError> {
    if output == Output::Table {
        return print(&rows(&found));
    }
    let resources: Vec<Json> = found.into_iter().map(|found| found.json).collect();
    let all = json!({ "resources": resources });
    match output {
        Output::Yaml => print_exact(&to_yaml(&all)),
        _ => print_exact(&pretty(&all)?),
    }
}

fn pretty(json: &Json) -> Result<String, CliError> {
    Ok(serde_json::to_string_pretty(json)? + "\n")
}

fn rows(found: &[Found]) -> String {
    let columns: [Column<'_, Found>; 4] = [
        ("NAME", &|found| found.name().to_owned()),
        ("PARTITION", &|found| found.partition().to_owned()),
        ("NAMESPACE", &|found| found.namespace().to_owned()),
        ("CONDITIONS", &conditions),
    ];
    table(&columns, found)
}

/// Summarizes the conditions of a resource; those about an earlier generation have a question mark.
pub(super) fn conditions(found: &Found) -> String {
    let words = found.conditions().map(|(_, current, condition)| {
        let doubt = if current { "" } else { "?" };
        format!("{}={}{doubt}", condition.name, condition.state)
    });
    let deletion = found.is_marked_for_deletion().then(|| "being deleted".to_owned());
    deletion.into_iter().chain(words).collect::<Vec<_>>().join(", ")
}
