//! `cargo xtask bench`.

mod small_crates;

use crate::cargo;
use crate::error::Error;

/// The arguments of the benchmark program, which checks them itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `--sizes N,N,..`: numbers of resources [default: 100,1000,10000,100000]; a first argument `load`,
    /// `embed`, `aims`, `editor`, `controllers` or `fleet` measures only that, and `light` only the build
    /// times of small crates; without these, the aims, the resources, the editor and the small crates are
    /// measured
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// A part of the measurements.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// A run of the benchmark program, with another program in the same folder and these arguments.
    Program { beside: &'static str, arguments: Vec<String> },
    /// The build times of small crates.
    Light,
}

/// Builds the benchmark program and the command in release mode, and runs the measurements.
///
/// The benchmark program is the crate `converge-bench`. It is only built and started here, so that other
/// tasks need not wait for its dependencies.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    for part in parts(&options.arguments) {
        match part {
            Part::Program { beside, arguments } => measure(beside, &arguments)?,
            Part::Light => small_crates::run()?,
        }
    }
    Ok(())
}

/// Returns the requested parts, or the default ones.
fn parts(arguments: &[String]) -> Vec<Part> {
    let program =
        |arguments: &[String]| Part::Program { beside: "converge-cli", arguments: arguments.to_vec() };
    match arguments.first().map(String::as_str) {
        Some("light") => vec![Part::Light],
        Some("fleet") => vec![Part::Program { beside: "converge-server", arguments: arguments.to_vec() }],
        Some(subject) if !subject.starts_with('-') => vec![program(arguments)],
        Some(_) | None => {
            let [aims, editor] = ["aims", "editor"].map(|subject| program(&[subject.to_owned()]));
            vec![aims, program(arguments), editor, Part::Light]
        }
    }
}

fn measure(package: &str, arguments: &[String]) -> Result<(), Error> {
    cargo::run(cargo::command(&["build", "--release", "--package", package, "--package", "converge-bench"]))?;
    let mut bench = cargo::command(&["run", "--quiet", "--release", "--package", "converge-bench", "--"]);
    bench.args(arguments);
    cargo::run(bench)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let program = |beside: &'static str, line: &str| Part::Program { beside, arguments: words(line) };
        let check = |line: &str, expect: &[Part]| assert_eq!(parts(&words(line)), expect, "{line:?}");
        let all = |sizes: &str| {
            let [aims, sizes, editor] = ["aims", sizes, "editor"].map(|line| program("converge-cli", line));
            [aims, sizes, editor, Part::Light]
        };
        check("", &all(""));
        check("--sizes 1,2", &all("--sizes 1,2"));
        check("load --sizes 1", &[program("converge-cli", "load --sizes 1")]);
        check("editor", &[program("converge-cli", "editor")]);
        check("fleet --agents 5", &[program("converge-server", "fleet --agents 5")]);
        check("light", &[Part::Light]);
    }
}
