//! Values for the parameters of modules.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use converge_core::graph::ParamOrigin;
use converge_core::load::{GivenParam, GivenParams};

use super::{Format, Param};
use crate::console::Console;
use crate::error::CliError;
use crate::modules;

/// What the names of environment variables that give parameters begin with.
const PREFIX: &str = "CONVERGE_PARAM_";

/// What messages call the text of `--params-json`.
const JSON: &str = "--params-json";

const HEADING: &str = "Parameters, each winning over the ones below it";

/// The arguments of every command that loads modules.
#[derive(Debug, Args)]
pub(crate) struct ParamArgs {
    /// Give a parameter of the modules a value; the first `=` divides. Text for a list or a map is JSON. May be
    /// repeated.
    #[arg(short, long = "param", value_name = "NAME=VALUE", help_heading = HEADING)]
    params: Vec<Param>,

    /// Give parameters as a JSON object: `{"ports": [80, 443]}`. May be repeated.
    #[arg(long = "params-json", alias = "paramsJSON", value_name = "JSON", help_heading = HEADING)]
    params_json: Vec<String>,

    /// Read parameters from a file: JSON when its name ends in `.json`, else lines such as `ports = [80, 443]`.
    /// May be repeated. The environment gives what is given nowhere else: `CONVERGE_PARAM_x` the parameter `x`.
    #[arg(long = "params-file", value_name = "FILE", help_heading = HEADING)]
    params_files: Vec<PathBuf>,
}

impl ParamArgs {
    /// All values, a later one winning over an earlier one of its name. `None` when some could not be read, which
    /// has then been reported.
    #[expect(clippy::disallowed_methods, reason = "the environment is that of the user who runs the command")]
    pub(crate) fn given(
        &self,
        format: Format,
        console: Console,
    ) -> Result<Option<Vec<GivenParam>>, CliError> {
        let files =
            self.params_files.iter().map(|file| (file.display().to_string(), GivenParams::read(file)));
        let json = self.params_json.iter();
        let json = json.map(|text| (JSON.to_owned(), GivenParams::from_json(JSON, text, &ParamOrigin::Json)));
        let mut given = from_environment(std::env::vars_os());
        let mut is_whole = true;
        for (name, read) in files.chain(json) {
            modules::report(&name, &read.diagnostics, &read.sources, format, console)?;
            is_whole &= !read.diagnostics.has_errors();
            given.extend(read.params);
        }
        given.extend(self.params.iter().map(|param| {
            GivenParam::new(param.name.as_str(), param.value.as_str(), ParamOrigin::CommandLine)
        }));
        Ok(is_whole.then_some(given))
    }
}

/// The parameters that environment variables give. What is not text gives none.
fn from_environment(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<GivenParam> {
    let mut given: Vec<_> = variables
        .filter_map(|(variable, value)| {
            let (variable, value) = (variable.into_string().ok()?, value.into_string().ok()?);
            let name = variable.strip_prefix(PREFIX).filter(|name| !name.is_empty())?.to_owned();
            Some(GivenParam::new(name, value, ParamOrigin::Environment { variable: variable.into() }))
        })
        .collect();
    // The order of the environment is nobody's choice.
    given.sort_by(|a, b| a.name.cmp(&b.name));
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_gives_parameters() {
        let check = |variable: &str, expect: Option<(&str, &str)>| {
            let found = from_environment([(variable.into(), "v".into())].into_iter());
            let found = found.first().map(|param| (&*param.name, param.origin.to_string()));
            let expect =
                expect.map(|(name, variable)| (name, format!("by the environment variable {variable}")));
            assert_eq!(found, expect, "{variable}");
        };
        check("CONVERGE_PARAM_x", Some(("x", "CONVERGE_PARAM_x")));
        check("CONVERGE_PARAM_a-b", Some(("a-b", "CONVERGE_PARAM_a-b")));
        check("CONVERGE_PARAM_", None);
        check("CONVERGE_LOG", None);
        check("converge_param_x", None);
    }
}
