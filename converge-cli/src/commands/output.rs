//! The `converge output` command.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use converge_core::RunMode;
use converge_core::engine::{Engine, Event, EventKind, OutputReport, OutputValue};
use converge_core::system::LocalSystem;
use converge_core::value::Value;
use serde_json::{Map, Value as Json, json};

use crate::args::{Format, ModuleArgs, StateArgs};
use crate::command_context::Surroundings;
use crate::console::{Console, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::modules::{ModuleLoader, Purpose};
use crate::output::{json_line, output_lines, written};
use crate::plugins;
use crate::runtime;

#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub(crate) struct OutputArgs {
    /// The output to print [default: all]
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// The module file or URL
    #[arg(value_name = "FILE", required = true)]
    file: PathBuf,

    /// The output format. Sensitive values are never written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: OutputFormat,

    #[command(flatten)]
    modules: ModuleArgs,

    #[command(flatten)]
    state: StateArgs,
}

/// The output format of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Text for people: one line for each, the value as JSON
    Human,
    /// JSON for programs: an object of all, or the value of the one that is named
    Json,
    /// The text of the one that is named, without quotes; only for a string, a number or a bool
    Raw,
}

impl OutputArgs {
    /// Makes a plan, which changes nothing, and prints the outputs of the module.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> Result<Exit, CliError> {
        if self.format == OutputFormat::Raw && self.name.is_none() {
            return Err(CliError::Message("`--format raw` is for one output: name it".to_owned()));
        }
        let console = surroundings.console;
        let format = if self.format == OutputFormat::Json { Format::Json } else { Format::Human };
        let plugins = plugins::start(surroundings, &self.modules.plugins, std::slice::from_ref(&self.file))?;
        let loader = ModuleLoader::new(plugins.around(surroundings), &self.modules, Purpose::Run, format)?;
        let Some(loader) = loader else { return Ok(Exit::Error) };
        let module = loader.load(&self.file);
        module.report(format, console)?;
        let Ok(graph) = module.loaded.into_graph() else { return Ok(Exit::Error) };
        let mut outputs = Vec::new();
        let mut failures = Vec::new();
        let mut sink = |event: Event| match event.kind {
            EventKind::Output(output) => outputs.push(output),
            EventKind::ResourceFinished(report) => {
                failures.extend(
                    report.failure.map(|failure| format!("{}: {}", report.id.short(), failure.message)),
                );
            }
            _ => {}
        };
        let runtime = runtime::start()?;
        let limits = self.modules.limits();
        let system = LocalSystem::builder().limits(&limits).build().map_err(CliError::System)?;
        let engine = Engine::new(Arc::new(system)).with_limits(limits);
        let engine = self.state.configure(engine, RunMode::Plan, None, console)?;
        runtime.block_on(async { engine.plan(&graph).sink(&mut sink).await })?;
        let has_missing = if let Some(name) = &self.name {
            let output = find(&outputs, name)?;
            self.print_one(output, &failures)?;
            false
        } else {
            self.print_all(&outputs, console)?;
            outputs.iter().any(|output| output.value == OutputValue::Missing)
        };
        if !has_missing {
            return Ok(Exit::Done);
        }
        for failure in &failures {
            console.error(failure);
        }
        Ok(Exit::Error)
    }

    fn print_all(&self, outputs: &[OutputReport], console: Console) -> Result<(), CliError> {
        if self.format != OutputFormat::Json {
            return print(&output_lines(outputs, "", console.stdout));
        }
        let mut document = Map::new();
        for output in outputs {
            let Json::Object(mut told) = json!(output) else { continue };
            told.remove("name");
            document.insert(output.name.clone(), Json::Object(told));
        }
        print(&json_line(&document)?)
    }

    /// Prints one output, or explains why its value cannot be shown.
    fn print_one(&self, output: &OutputReport, failures: &[String]) -> Result<(), CliError> {
        let name = &output.name;
        let refused = |why: &str| Err(CliError::Message(format!("`{name}` {why}")));
        let value = match &output.value {
            OutputValue::Known(value) => value,
            OutputValue::Sensitive => return refused("is sensitive, and is not shown"),
            OutputValue::Unknown => return refused("is known only after an apply"),
            _ => {
                let cause = failures.first().map(|failure| format!(": {failure}")).unwrap_or_default();
                return refused(&format!("has no value because a resource that it depends on failed{cause}"));
            }
        };
        let text = match (self.format, value) {
            (OutputFormat::Raw, Value::String(text)) => return print(text),
            (OutputFormat::Raw, Value::Int(_) | Value::Float(_) | Value::Bool(_)) => value.to_string(),
            (OutputFormat::Raw, other) => {
                return refused(&format!(
                    "is {}, which has no plain text: use `--format json`",
                    other.kind()
                ));
            }
            _ => written(value),
        };
        print(&if self.format == OutputFormat::Raw { text } else { format!("{text}\n") })
    }
}

fn find<'a>(outputs: &'a [OutputReport], name: &str) -> Result<&'a OutputReport, CliError> {
    outputs.iter().find(|output| output.name == name).ok_or_else(|| {
        let candidates = outputs.iter().map(|output| output.name.as_str());
        let help = converge_core::diagnostic::did_you_mean(name, candidates.clone()).unwrap_or_else(|| {
            let names: Vec<&str> = candidates.collect();
            match names.as_slice() {
                [] => "it has none".to_owned(),
                names => format!("its outputs are {}", names.join(", ")),
            }
        });
        CliError::Message(format!("the module has no output `{name}`; {help}"))
    })
}
