//! A program that checks the imports of a workspace: `cargo xtask layers`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user through these")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use converge_layers::{Error, drawing, rules};

/// Lists upward imports between layers, and import cycles between the entries of a folder
#[derive(Debug, Parser)]
#[command(name = "layers")]
struct Args {
    /// The root of the workspace
    #[arg(default_value = ".")]
    root: PathBuf,
    /// Only folders below this one, such as `crates/load/src`
    #[arg(long, value_name = "FOLDER")]
    only: Option<PathBuf>,
    /// Print the layers as a Mermaid flow chart instead
    #[arg(long, conflicts_with_all = ["write", "check"])]
    draw: bool,
    /// Write the diagram in docs/layers.md instead
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Fail if the diagram in docs/layers.md is not current instead
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, Error> {
    if args.draw {
        print!("{}", drawing::draw_workspace(&args.root)?);
        return Ok(ExitCode::SUCCESS);
    }
    if args.write || args.check {
        let (text, current) = drawing::document(&args.root)?;
        if text == current {
            return Ok(ExitCode::SUCCESS);
        }
        if args.check {
            eprintln!("not current: {}; `cargo xtask docs` writes it", drawing::DOCUMENT);
            return Ok(ExitCode::FAILURE);
        }
        let path = args.root.join(drawing::DOCUMENT);
        fs::write(&path, current).map_err(|source| Error::File { path, source })?;
        println!("wrote {}", drawing::DOCUMENT);
        return Ok(ExitCode::SUCCESS);
    }
    let broken = rules::check(&args.root, args.only.as_deref().unwrap_or(Path::new("")))?;
    for paragraph in &broken {
        println!("{paragraph}\n");
    }
    println!("{} broken", broken.len());
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
