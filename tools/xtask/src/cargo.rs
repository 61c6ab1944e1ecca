//! Runs cargo and reads its metadata.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::error::Error;

/// Creates a command for the cargo that runs this program, at the root of the workspace.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = converge_tests::cargo();
    command.args(arguments).current_dir(root());
    command
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root.pop();
    root
}

/// Formats a command as a person would type it.
pub(crate) fn format_command(command: &Command) -> String {
    let mut line = String::from("cargo");
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

/// Prints and runs a command, and fails unless it succeeds.
pub(crate) fn run(command: Command) -> Result<(), Error> {
    let line = format_command(&command);
    run_as(command, line)
}

/// Like [`run`], for a program that is printed as `line`.
pub(crate) fn run_as(mut command: Command, line: String) -> Result<(), Error> {
    println!("$ {line}");
    let status = command.status().map_err(|source| Error::Start { program: line.clone(), source })?;
    if status.success() { Ok(()) } else { Err(Error::Failed { command: line, status }) }
}

/// Builds the programs and examples of the workspace, which tests and tasks run.
///
/// The packages, features and targets are those of the tests, so that nothing is built twice.
pub(crate) fn build_programs() -> Result<(), Error> {
    run(command(&["build", "--workspace", "--all-features", "--bins", "--examples"]))
}

/// A crate of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The package's own features, without `default`.
    ///
    /// Features that only enable features of other crates, such as most of `converge-cli`, are omitted too.
    pub(crate) features: Vec<String>,
    /// Whether the crate is published to a registry.
    pub(crate) is_published: bool,
    /// Whether programs use the crate directly, and not only through `converge-core`.
    pub(crate) is_api: bool,
    /// The names of the test targets in folders: `hosts` is `tests/hosts/main.rs`.
    pub(crate) tests: Vec<String>,
}

/// The metadata of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

/// Reads the metadata of the workspace from cargo.
pub(crate) fn workspace() -> Result<Workspace, Error> {
    let mut command = command(&["metadata", "--no-deps", "--format-version", "1"]);
    let line = format_command(&command);
    let output = command.output().map_err(|source| Error::Start { program: line.clone(), source })?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Metadata { reason });
    }
    read_metadata(&output.stdout)
}

fn read_metadata(json: &[u8]) -> Result<Workspace, Error> {
    let metadata: Value =
        serde_json::from_slice(json).map_err(|error| Error::Metadata { reason: error.to_string() })?;
    let lacks = |what: &str| Error::Metadata { reason: format!("the answer has no `{what}`") };
    let packages = metadata["packages"].as_array().ok_or_else(|| lacks("packages"))?;
    let packages = packages
        .iter()
        .map(|package| {
            let name = package["name"].as_str().ok_or_else(|| lacks("packages[].name"))?.to_owned();
            let version = package["version"].as_str().ok_or_else(|| lacks("packages[].version"))?.to_owned();
            let features = package["features"].as_object().ok_or_else(|| lacks("packages[].features"))?;
            let is_own = |&(name, enables): &(&String, &Value)| name != "default" && !only_forwards(enables);
            let features = features.iter().filter(is_own).map(|(name, _)| name.clone()).collect();
            // `publish = false` is represented as an empty list of registries.
            let is_published = package["publish"].as_array().is_none_or(|registries| !registries.is_empty());
            let targets = package["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
            let tests = targets.iter().filter(|target| target["kind"][0] == "test");
            let tests = tests.filter_map(|target| target["name"].as_str()).map(str::to_owned).collect();
            let description = package["description"].as_str().unwrap_or_default();
            let is_api = !description.contains("not an API by itself");
            Ok(Package { name, version, features, is_published, is_api, tests })
        })
        .collect::<Result<_, Error>>()?;
    let target = metadata["target_directory"].as_str().ok_or_else(|| lacks("target_directory"))?;
    Ok(Workspace { packages, target_directory: target.into() })
}

/// Whether a feature only enables features of other crates: `["other/feature"]`.
fn only_forwards(enables: &Value) -> bool {
    let forwards = |enabled: &Value| enabled.as_str().is_some_and(|enabled| enabled.contains('/'));
    enables.as_array().is_some_and(|enables| !enables.is_empty() && enables.iter().all(forwards))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expect: Result<&[(&str, &[&str])], &str>) {
        let actual = read_metadata(json.as_bytes()).map_err(|error| error.to_string());
        let packages = actual.map(|workspace| workspace.packages);
        let expect = expect.map_err(String::from).map(|packages| {
            let package = |&(name, features): &(&str, &[&str])| Package {
                name: name.into(),
                version: "1.0.0".into(),
                features: features.iter().map(ToString::to_string).collect(),
                is_published: true,
                is_api: name == "a",
                tests: if name == "b" { vec!["it".to_owned()] } else { Vec::new() },
            };
            packages.iter().map(package).collect::<Vec<_>>()
        });
        assert_eq!(packages, expect, "{json}");
    }

    #[test]
    fn metadata() {
        check(
            r#"{"packages": [{"name": "a", "version": "1.0.0", "features": {"default": ["x"], "x": [], "y": ["dep:b"], "z": ["b/z"]}},
                {"name": "b", "version": "1.0.0", "description": "B; not an API by itself", "features": {},
                 "targets": [{"name": "b", "kind": ["lib"]}, {"name": "it", "kind": ["test"]}]}], "target_directory": "t"}"#,
            Ok(&[("a", &["x", "y"]), ("b", &[])]),
        );
        check("{}", Err("`cargo metadata`: the answer has no `packages`"));
        check(
            r#"{"packages": [{"features": {}}]}"#,
            Err("`cargo metadata`: the answer has no `packages[].name`"),
        );
        check(r#"{"packages": []}"#, Err("`cargo metadata`: the answer has no `target_directory`"));
    }
}
