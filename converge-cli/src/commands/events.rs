//! The `converge events` command.

use std::cmp::Reverse;

use clap::Args;
use serde_json::{Value as Json, json};

use crate::args::{Output, ServerArgs};
use crate::console::{Console, print, print_exact};
use crate::document::to_yaml;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Column, table};
use crate::remote::{Found, Query};

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Show only warnings
    #[arg(long)]
    warnings: bool,

    /// Show at most this many, the newest
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: usize,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    /// The partition [default: that of the caller, `default`]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    partition: String,

    #[command(flatten)]
    server: ServerArgs,
}

impl EventsArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| self.show())
    }

    fn show(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let query = Query::default().with_non_empty("partition", &self.partition);
        let mut events = server.list(types.find("converge.v1.Event")?, &query)?;
        events.retain(|event| !self.warnings || severity(event) == "warning");
        events.sort_by_key(|event| Reverse(text(event, "last").to_owned()));
        events.truncate(self.limit);
        match self.output {
            Output::Table if events.is_empty() => print("no events\n")?,
            Output::Table => print(&format_events(&events))?,
            form => {
                let document =
                    json!({ "events": events.into_iter().map(|event| event.json).collect::<Vec<_>>() });
                match form {
                    Output::Yaml => print_exact(&to_yaml(&document))?,
                    _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
                }
            }
        }
        Ok(Exit::Done)
    }
}

fn text<'a>(event: &'a Found, name: &str) -> &'a str {
    event.json["data"][name].as_str().unwrap_or_default()
}

fn severity(event: &Found) -> String {
    text(event, "severity").trim_start_matches("SEVERITY_").to_ascii_lowercase()
}

/// Returns the kind and name of the object of an event.
fn about(event: &Found) -> String {
    let subject = &event.json["data"]["about"];
    let word = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    format!("{} {}", word(&subject["type"]["kind"]).to_ascii_lowercase(), word(&subject["name"]))
}

/// Formats events for people.
fn format_events(events: &[Found]) -> String {
    let columns: [Column<'_, Found>; 6] = [
        ("LAST", &|event| {
            let last = text(event, "last");
            last.split_once('.').map_or(last, |(seconds, _)| seconds).trim_end_matches('Z').to_owned()
        }),
        ("SEVERITY", &severity),
        ("REASON", &|event| text(event, "reason").to_owned()),
        ("TIMES", &|event| text(event, "times").to_owned()),
        ("ABOUT", &about),
        ("MESSAGE", &|event| text(event, "message").to_owned()),
    ];
    table(&columns, events)
}
