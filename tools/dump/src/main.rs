//! A program that prints the result of each step of loading a module: `cargo xtask dump`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user through these")]

mod error;
mod graph;
mod plan;
mod tree;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use converge_core::diagnostic::{Diagnostics, SourceMap};
use converge_core::graph::ParamOrigin;
use converge_core::load::{GivenParam, Loaded, Loader, Source, Sources};
use converge_core::syntax;
use converge_core::view::render;

use error::Error;

/// Prints the result of one step of a module
#[derive(Debug, Parser)]
#[command(name = "cargo xtask dump", bin_name = "cargo xtask dump")]
struct Args {
    #[command(subcommand)]
    step: Step,
}

/// The step whose result is printed
#[derive(Debug, Subcommand)]
enum Step {
    /// The syntax tree with the position of each part
    Tree {
        /// The module file
        file: String,
    },
    /// The graph: nodes, their inputs, and their dependencies with reasons
    Graph(ModuleArgs),
    /// The events of a plan on this machine, one resource at a time; changes nothing
    Plan(ModuleArgs),
    /// The JSON Schema of a document, as in docs/schema
    Schema {
        /// The document
        document: Document,
    },
}

/// A document for other programs
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Document {
    /// A stored plan
    Plan,
    /// The events of a run
    Event,
}

/// A module and its parameters.
#[derive(Debug, clap::Args)]
struct ModuleArgs {
    /// The module file or URL
    file: String,
    /// A value for a parameter
    #[arg(short, long = "param", value_name = "NAME=VALUE")]
    params: Vec<String>,
}

fn main() -> ExitCode {
    match run(Args::parse().step) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(step: Step) -> Result<(), Error> {
    match step {
        Step::Schema { document } => {
            let schema = match document {
                Document::Plan => converge_core::plan::json_schema(),
                Document::Event => converge_core::view::json_schema::event(),
            };
            println!("{schema:#}");
            Ok(())
        }
        Step::Tree { file } => {
            let mut sources = SourceMap::new();
            let mut diagnostics = Diagnostics::new();
            match Sources::new().read(&Source::file(file.as_str())) {
                Ok(text) => {
                    let id = sources.add(file.as_str(), text.clone());
                    let (body, mistakes) = syntax::parse(id, &text);
                    if let Some(source) = sources.file(id) {
                        print!("{}", tree::text(&body, source));
                    }
                    diagnostics = mistakes;
                }
                Err(error) => diagnostics.push(error.into()),
            }
            report(&file, &diagnostics, &sources)
        }
        Step::Graph(args) => {
            let loaded = load(&args)?;
            print!("{}", graph::text(loaded.partial_graph(), &loaded.sources));
            report(&args.file, &loaded.diagnostics, &loaded.sources)
        }
        Step::Plan(args) => {
            let loaded = load(&args)?;
            report(&args.file, &loaded.diagnostics, &loaded.sources)?;
            print!("{}", plan::text(&loaded.into_graph()?)?);
            Ok(())
        }
    }
}

fn load(args: &ModuleArgs) -> Result<Loaded, Error> {
    let registry = converge_resources::registry()?;
    let loader = args.params.iter().fold(Loader::new(&registry), |loader, param| {
        let (name, value) = param.split_once('=').unwrap_or((param, ""));
        loader.with_given(GivenParam::new(name, value, ParamOrigin::CommandLine))
    });
    Ok(loader.load(&args.file))
}

/// Prints the diagnostics of a module, and returns an error if the module is unusable.
fn report(file: &str, diagnostics: &Diagnostics, sources: &SourceMap) -> Result<(), Error> {
    eprint!("{}", render::diagnostics(diagnostics, sources, false));
    if diagnostics.has_errors() { Err(Error::Mistakes { file: file.to_owned() }) } else { Ok(()) }
}
