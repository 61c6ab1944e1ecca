//! Values for the parameters of modules.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use converge_core::graph::ParamOrigin;
use converge_core::load::{GivenParam, GivenParams, SourceError};

use super::param::{Param, ParamParser};

/// The prefix of environment variables that set parameters.
const PREFIX: &str = "CONVERGE_PARAM_";

/// The name of the `--params-json` text in messages.
const JSON: &str = "--params-json";

const HEADING: &str = "Parameters, each winning over the ones below it";

#[derive(Debug, Args)]
pub(crate) struct ParamArgs {
    /// Set a parameter of the modules; the first `=` separates name and value. Text for a list or a map is
    /// JSON. May be repeated
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = ParamParser, allow_hyphen_values = true, help_heading = HEADING)]
    params: Vec<Param>,

    /// Set parameters from a JSON object: `{"ports": [80, 443]}`. May be repeated
    #[arg(long = "params-json", alias = "paramsJSON", value_name = "JSON", help_heading = HEADING)]
    params_json: Vec<String>,

    /// Read parameters from a file in JSON, YAML or lines such as `ports = [80, 443]`, `-` for standard
    /// input. Names that the module does not take are ignored with a warning. May be repeated. A parameter
    /// that is set nowhere else comes from the environment: `CONVERGE_PARAM_x` sets the parameter `x`
    #[arg(long = "params-file", value_name = "FILE", help_heading = HEADING)]
    params_files: Vec<PathBuf>,
}

/// Parameters read from one source, and the mistakes found in them.
#[derive(Debug)]
pub(crate) struct ReadParams {
    /// The name of the source in messages.
    pub(crate) name: String,
    pub(crate) given: GivenParams,
}

impl ParamArgs {
    /// Reads all values; a later value replaces an earlier one of the same name.
    #[expect(clippy::disallowed_methods, reason = "the environment is that of the user who runs the command")]
    pub(crate) fn read(&self) -> Vec<ReadParams> {
        let right = |name: &str, params| {
            let mut values = GivenParams::default();
            values.params = params;
            ReadParams { name: name.into(), given: values }
        };
        let file = |path: &PathBuf| ReadParams { name: path.display().to_string(), given: read_file(path) };
        let json = |text: &String| ReadParams {
            name: JSON.into(),
            given: GivenParams::from_json(JSON, text, &ParamOrigin::Json),
        };
        let on_line = self.params.iter().map(|param| {
            GivenParam::new(param.name.as_str(), param.value.as_str(), ParamOrigin::CommandLine)
        });
        let mut read = vec![right("the environment", from_environment(std::env::vars_os()))];
        read.extend(self.params_files.iter().map(file));
        read.extend(self.params_json.iter().map(json));
        read.push(right("the command line", on_line.collect()));
        read
    }
}

/// Reads a file of parameters, or a pipe that this process was started with.
fn read_file(path: &Path) -> GivenParams {
    let name = path.display().to_string();
    let is_stdin = matches!(&*name, "-" | "/dev/stdin");
    if !is_stdin && !["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.starts_with(folder)) {
        return GivenParams::read(path);
    }
    match read_pipe(path, is_stdin) {
        Ok(text) => GivenParams::from_text(&name, &text),
        Err(error) => {
            let mut given = GivenParams::default();
            given.diagnostics.push(SourceError::Unreadable { name, reason: error.to_string() }.into());
            given
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the pipe is one of this process")]
fn read_pipe(path: &Path, is_stdin: bool) -> io::Result<String> {
    /// The maximum number of bytes that are read.
    const MAX: u64 = 16 << 20;
    let source: Box<dyn Read> = if is_stdin { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut text = String::new();
    if source.take(MAX + 1).read_to_string(&mut text)? as u64 > MAX {
        return Err(io::Error::other(format!("there are more than {MAX} bytes")));
    }
    Ok(text)
}

/// Returns the parameters set by environment variables, ignoring variables that are not UTF-8.
fn from_environment(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<GivenParam> {
    let mut params: Vec<_> = variables
        .filter_map(|(variable, value)| {
            let (variable, value) = (variable.into_string().ok()?, value.into_string().ok()?);
            let name = variable.strip_prefix(PREFIX).filter(|name| !name.is_empty())?.to_owned();
            Some(GivenParam::new(name, value, ParamOrigin::Environment { variable: variable.into() }))
        })
        .collect();
    // The order of environment variables is arbitrary.
    params.sort_by(|a, b| a.name.cmp(&b.name));
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_gives_parameters() {
        let check = |variable: &str, expect: Option<(&str, &str)>| {
            let actual = from_environment([(variable.into(), "v".into())].into_iter());
            let actual = actual.first().map(|param| (&*param.name, param.origin.to_string()));
            let expect =
                expect.map(|(name, variable)| (name, format!("by the environment variable {variable}")));
            assert_eq!(actual, expect, "{variable}");
        };
        check("CONVERGE_PARAM_x", Some(("x", "CONVERGE_PARAM_x")));
        check("CONVERGE_PARAM_a-b", Some(("a-b", "CONVERGE_PARAM_a-b")));
        check("CONVERGE_PARAM_", None);
        check("CONVERGE_LOG", None);
        check("converge_param_x", None);
    }
}
