//! The `converge node list` command.

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::certificates::{certificates, node_of, text};
use crate::args::{Output, ServerArgs};
use crate::console::{print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::remote::{Found, Query};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    server: ServerArgs,
}

/// A node with its certificates.
struct Row {
    node: Found,
    certificates: Vec<Found>,
}

impl ListArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let all_certificates = certificates(&server, &types)?;
        let query = Query::default().with("consistent", "true");
        let nodes = server.list(types.find("converge.v1.Node")?, &query)?;
        let rows: Vec<Row> = nodes
            .into_iter()
            .map(|node| {
                let of_node =
                    all_certificates.iter().filter(|certificate| node_of(certificate) == node.name());
                let certificates = of_node.cloned().collect();
                Row { node, certificates }
            })
            .collect();
        if self.output == Output::Table {
            let now = Timestamp::now();
            let columns: [Column<'_, Row>; 4] = [
                ("NODE", &|row| row.node.name().to_owned()),
                ("READY", &ready),
                ("CERTIFICATE", &|row| certificate(row, now)),
                ("LABELS", &labels),
            ];
            print(&table(&columns, &rows))?;
            return Ok(Exit::Done);
        }
        let nodes: Vec<Json> = rows
            .into_iter()
            .map(|row| {
                let certificates: Vec<Json> = row.certificates.into_iter().map(|entry| entry.json).collect();
                json!({ "node": row.node.json, "certificates": certificates })
            })
            .collect();
        let document = json!({ "nodes": nodes });
        match self.output {
            Output::Yaml => print_exact(&to_yaml(&document))?,
            _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
        }
        Ok(Exit::Done)
    }
}

/// Returns whether the server hears from the agent of a node.
fn ready(row: &Row) -> String {
    let statuses = row.node.json["status"].as_object().into_iter().flatten();
    let conditions = statuses.flat_map(|(_, status)| status["conditions"].as_array().into_iter().flatten());
    let mut ready = conditions.filter(|condition| condition["type"] == "ready");
    ready.next().map_or("unknown", |condition| text(&condition["state"])).to_owned()
}

/// Returns the expiry of the certificate of a node that lasts longest.
fn certificate(row: &Row, now: Timestamp) -> String {
    let expiries = row.certificates.iter().map(|certificate| text(&certificate.json["data"]["expires"]));
    let last = expiries.max_by_key(|end| end.parse::<Timestamp>().ok());
    match last {
        None => "none".to_owned(),
        Some(end) if end.parse::<Timestamp>().is_ok_and(|end| end <= now) => format!("ended {end}"),
        Some(end) => format!("until {end}"),
    }
}

fn labels(row: &Row) -> String {
    let labels = row.node.json["metadata"].as_object().into_iter().flatten();
    let labels: Vec<_> =
        labels.filter_map(|(key, value)| value.as_str().map(|value| format!("{key}={value}"))).collect();
    labels.join(" ")
}
