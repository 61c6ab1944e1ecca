//! `cargo xtask bench`.

mod small_crates;

use crate::cargo;
use crate::error::Error;

/// What the measuring program is told; it checks that itself.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// `--sizes N,N,..`: numbers of resources [default: 100,1000,10000,100000]; `load`, `embed`, `shells`, `editor`, `controllers` or `fleet` before it measures those alone, and `light` alone how long small crates take to build; without one of these the editor and the small crates follow the resources
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) arguments: Vec<String>,
}

/// Something that is measured.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// By the measuring program, beside another one, with these arguments.
    Program { beside: &'static str, arguments: Vec<String> },
    /// How long small crates take to build.
    Light,
}

/// Builds the measuring program and the command as they are released, and measures.
///
/// The program is the crate `converge-bench`; here it is only built and started, so that the other chores need
/// not wait for what it depends on.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    for part in parts(&options.arguments) {
        match part {
            Part::Program { beside, arguments } => measure(beside, &arguments)?,
            Part::Light => small_crates::run()?,
        }
    }
    Ok(())
}

/// What is measured: what was asked for, or what everybody wants to know.
fn parts(arguments: &[String]) -> Vec<Part> {
    let program =
        |arguments: &[String]| Part::Program { beside: "converge-cli", arguments: arguments.to_vec() };
    match arguments.first().map(String::as_str) {
        Some("light") => vec![Part::Light],
        Some("fleet") => vec![Part::Program { beside: "converge-server", arguments: arguments.to_vec() }],
        Some(subject) if !subject.starts_with('-') => vec![program(arguments)],
        Some(_) | None => vec![program(arguments), program(&["editor".to_owned()]), Part::Light],
    }
}

fn measure(beside: &str, arguments: &[String]) -> Result<(), Error> {
    cargo::run(cargo::command(&["build", "--release", "--package", beside, "--package", "converge-bench"]))?;
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
        check("", &[program("converge-cli", ""), program("converge-cli", "editor"), Part::Light]);
        let sizes = "--sizes 1,2";
        check(sizes, &[program("converge-cli", sizes), program("converge-cli", "editor"), Part::Light]);
        check("load --sizes 1", &[program("converge-cli", "load --sizes 1")]);
        check("editor", &[program("converge-cli", "editor")]);
        check("fleet --agents 5", &[program("converge-server", "fleet --agents 5")]);
        check("light", &[Part::Light]);
    }
}
