//! The `converge token list` command.

use clap::Args;
use serde_json::{Value as Json, json};

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

impl ListArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let query = Query::default().with("consistent", "true");
        let tokens = server.list(types.find("access.v1.Token")?, &query)?;
        if self.output == Output::Table {
            let columns: [Column<'_, Found>; 5] = [
                ("NAME", &|token| token.name().to_owned()),
                ("MAY", &permissions),
                ("EXPIRES", &|token| text(&token.json["data"]["expires"])),
                ("LAST USED", &last_used),
                ("DESCRIPTION", &|token| text(&token.json["data"]["description"])),
            ];
            print(&table(&columns, &tokens))?;
            return Ok(Exit::Done);
        }
        let tokens: Vec<Json> = tokens.into_iter().map(|token| token.json).collect();
        let document = json!({ "resources": tokens });
        match self.output {
            Output::Yaml => print_exact(&to_yaml(&document))?,
            _ => print_exact(&(serde_json::to_string_pretty(&document)? + "\n"))?,
        }
        Ok(Exit::Done)
    }
}

/// Summarizes the permissions of the holder of a token.
fn permissions(token: &Found) -> String {
    let join = &token.json["data"]["join"];
    if join.is_object() {
        let phrase = |name: &str, words: &str| match text(&join[name]) {
            empty if empty.is_empty() => String::new(),
            text => format!("{words}{text}"),
        };
        return format!("join{}{}", phrase("node", " as "), phrase("used_by", ", used by "));
    }
    let rules = token.json["data"]["rules"].as_array().cloned().unwrap_or_default();
    let rules = rules.iter().map(|rule| {
        let verbs: Vec<_> =
            texts(&rule["verbs"]).map(|verb| verb.trim_start_matches("VERB_").to_lowercase()).collect();
        let types: Vec<_> = texts(&rule["types"]).collect();
        let units = ["partition", "namespace"].map(|unit| {
            let name = text(&rule[unit]);
            if name.is_empty() || name == "*" { String::new() } else { format!(" in {unit} {name}") }
        });
        format!("{}={}{}", verbs.join(","), types.join(","), units.concat())
    });
    let rules: Vec<_> = rules.collect();
    if rules.is_empty() { "nothing".to_owned() } else { rules.join("; ") }
}

/// Returns when the token was last used, at most an hour late, or an empty text if never.
fn last_used(token: &Found) -> String {
    let noted = text(&token.json["status"]["use"]["updated_at"]);
    match noted.split_once('.') {
        Some((second, _)) => format!("{second}Z"),
        None => noted,
    }
}

fn texts(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str)
}

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
