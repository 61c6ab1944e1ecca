//! The `converge history` command.

mod plans;
mod run_format;

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
use plans::last_plans;
use run_format::{seconds, version, word};

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Show only runs on this machine
    #[arg(long, value_name = "NODE")]
    node: Option<String>,

    /// Show only runs of modules with this name
    #[arg(long, value_name = "MODULE")]
    module: Option<String>,

    /// Show at most this many runs, the newest
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: usize,

    /// Show the last run of each module that found changes or failed, with the differences
    #[arg(long, requires = "node", conflicts_with = "limit")]
    plan: bool,

    /// The output format
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    /// Show only runs of modules in this namespace
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,

    /// The partition of the machines [default: that of the caller, `default`]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    partition: String,

    #[command(flatten)]
    server: ServerArgs,
}

impl HistoryArgs {
    pub(crate) fn run(self, console: Console) -> Result<Exit, CliError> {
        interrupt::guarded(console, move |_| if self.plan { self.show_plans(console) } else { self.show() })
    }

    /// Shows the last plan of each module on a machine.
    fn show_plans(&self, console: Console) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let node_plans = server.list(types.find("converge.v1.NodePlans")?, &self.query())?;
        let of_node = node_plans.into_iter().find(|plans| Some(plans.name()) == self.node.as_deref());
        let plans = of_node.map(|plans| plans.json["data"]["plans"].clone()).unwrap_or_default();
        let is_meant = |plan: &&Json| self.is_selected(&plan["module"]);
        let plans: Vec<_> = plans.as_array().into_iter().flatten().filter(is_meant).collect();
        match self.output {
            Output::Table if plans.is_empty() => print("no plans\n")?,
            Output::Table => print(&last_plans(&plans, console.stdout))?,
            form => write(form, &json!({ "plans": plans }))?,
        }
        Ok(Exit::Done)
    }

    fn show(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let histories = server.list(types.find("converge.v1.NodeHistory")?, &self.query())?;
        let runs = self.runs(&histories);
        match self.output {
            Output::Table if runs.is_empty() => print("no runs\n")?,
            Output::Table => print(&format_runs(&runs))?,
            form => {
                write(form, &json!({ "runs": runs.into_iter().map(|run| run.0).collect::<Vec<_>>() }))?;
            }
        }
        Ok(Exit::Done)
    }

    fn query(&self) -> Query {
        Query::default()
            .with_non_empty("partition", &self.partition)
            .with_non_empty("name_prefix", self.node.as_deref().unwrap_or_default())
    }

    /// Returns whether the arguments select a module.
    fn is_selected(&self, module: &Json) -> bool {
        let (name, namespace) = (&module["name"], &module["tenancy"]["namespace"]);
        self.module.as_ref().is_none_or(|module| name == module)
            && self.namespace.as_ref().is_none_or(|expected| namespace == expected)
    }

    /// Returns the selected runs, newest first.
    fn runs(&self, histories: &[Found]) -> Vec<Run> {
        let of_node = |name: &str| self.node.as_ref().is_none_or(|node| node == name);
        let histories = histories.iter().filter(|history| of_node(history.name()));
        // A history lists the newest run last.
        let runs = histories.flat_map(|history| {
            let runs = history.json["data"]["runs"].as_array().into_iter().flatten().rev();
            runs.map(|run| Run::new(history.name(), run.clone()))
        });
        let mut runs: Vec<_> = runs.filter(|run| self.is_selected(&run.0["module"])).collect();
        if self.node.is_none() {
            runs.sort_by_key(|run| Reverse(run.text("last").to_owned()));
        }
        runs.truncate(self.limit);
        runs
    }
}

/// A run of a module on a machine.
#[derive(Debug)]
struct Run(Json);

impl Run {
    fn new(node: &str, mut run: Json) -> Self {
        if let Some(fields) = run.as_object_mut() {
            fields.insert("node".to_owned(), node.into());
        }
        Self(run)
    }

    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    fn module(&self) -> &str {
        self.0["module"]["name"].as_str().unwrap_or_default()
    }

    /// Returns the first digits of the revision hash.
    fn version(&self) -> &str {
        version(&self.0["revision"])
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        self.0[name].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
    }

    /// Returns the number of runs with the same outcome, if it is more than one.
    fn times(&self) -> String {
        let times = self.text("times");
        if times == "1" { String::new() } else { times.to_owned() }
    }

    fn took(&self) -> String {
        let seconds = self.text("took").trim_end_matches('s').parse::<f64>();
        seconds.map_or_else(|_| String::new(), |seconds| format!("{seconds:.1}s"))
    }

    /// Summarizes a run: the counts, then the first error or the changes.
    fn message(&self) -> String {
        let summary = match self.texts("errors").first() {
            Some(error) => (*error).to_owned(),
            None => self.texts("changes").join(", "),
        };
        let parts = [self.text("summary"), &summary];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    }
}

fn write(form: Output, document: &Json) -> Result<(), CliError> {
    match form {
        Output::Yaml => print_exact(&to_yaml(document)),
        _ => print_exact(&(serde_json::to_string_pretty(document)? + "\n")),
    }
}

/// Formats runs for people.
fn format_runs(runs: &[Run]) -> String {
    let columns: [Column<'_, Run>; 9] = [
        ("WHEN", &|run| seconds(run.text("last")).to_owned()),
        ("NODE", &|run| run.text("node").to_owned()),
        ("MODULE", &|run| run.module().to_owned()),
        ("VERSION", &|run| run.version().to_owned()),
        ("MODE", &|run| word(&run.0["mode"], "MODE_")),
        ("OUTCOME", &|run| word(&run.0["outcome"], "RUN_OUTCOME_")),
        ("TIMES", &Run::times),
        ("TOOK", &Run::took),
        ("MESSAGE", &Run::message),
    ];
    table(&columns, runs)
}
