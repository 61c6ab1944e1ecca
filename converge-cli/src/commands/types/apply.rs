//! The `converge type apply` command.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use converge_client::{ClientError, Refusal};
use serde_json::json;

use super::files::{self, File};
use super::name::named;
use crate::args::ServerArgs;
use crate::console::{print, print_error};
use crate::error::CliError;
use crate::exit::Exit;
use crate::remote::{RemoteError, Server, Types};

#[derive(Debug, Args)]
#[command(after_help = "\
A message with the option `(converge.resource.spec)`, in a package converge.GROUP.VERSION, defines a type. The server
compiles the files, so no other tool is needed, and reports mistakes by file, line and column. All files of a group are
one definition, which has the name of the group. Types that are missing in the files are removed. A change that would
break stored data is refused.

Exit codes:
  0  the server has these types, and resources of them can be written
  1  the server refuses the files, or cannot be reached

Examples:
  converge type apply proto
  converge type apply demo/v1/album.proto --dry-run")]
pub(super) struct ApplyArgs {
    /// Files or folders. Files in a folder import each other by their paths below it. The files of
    /// converge/resource and google/protobuf are provided by the server, and ignored here
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The purpose of the types [default: unchanged]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// Let the server check everything, and change nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    server: ServerArgs,
}

impl ApplyArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let definitions = files::read(&self.paths)?;
        let server = self.server.open()?;
        let types = server.types()?;
        let mut exit = Exit::Done;
        for (name, files) in &definitions {
            match self.apply(&server, &types, name, files) {
                Ok(outcome) => print(&format!("{outcome} {name}: {}\n", types_of(&server, name)?))?,
                Err(CliError::Remote(RemoteError::Client(ClientError::Refused(refusal))))
                    if !refusal.problems.is_empty() =>
                {
                    print_error(&format_refusal(&refusal, files));
                    exit = Exit::Error;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(exit)
    }

    /// Writes one definition, and reports what changed.
    fn apply(
        &self,
        server: &Server,
        types: &Types,
        name: &str,
        files: &BTreeMap<String, File>,
    ) -> Result<&'static str, CliError> {
        let id = named(types, name)?;
        let texts: BTreeMap<&String, &String> = files.iter().map(|(path, file)| (path, &file.text)).collect();
        let (mut body, before) = match server.read(&id, true) {
            // The version keeps the write from overwriting what somebody else has changed meanwhile.
            Ok(resource) => {
                let mut body = resource.desired_state();
                body["version"] = json!(resource.version());
                let before = body["data"].clone();
                (body, Some(before))
            }
            Err(error) if error.is("not_found") => (json!({ "data": {} }), None),
            Err(error) => return Err(error.into()),
        };
        body["data"]["files"] = json!(texts);
        if let Some(description) = &self.description {
            body["data"]["description"] = json!(description);
        }
        if before.as_ref() == Some(&body["data"]) {
            return Ok("unchanged");
        }
        server.write(&id, &body, self.dry_run)?;
        Ok(match (before.is_some(), self.dry_run) {
            (false, false) => "created",
            (true, false) => "changed",
            (false, true) => "would create",
            (true, true) => "would change",
        })
    }
}

/// Returns the types of a group that the server has now.
fn types_of(server: &Server, name: &str) -> Result<String, CliError> {
    let group = name.replace('-', "_") + ".";
    let types = server.types()?;
    let names: Vec<String> =
        types.names().filter(|resource_type| resource_type.starts_with(&group)).collect();
    Ok(if names.is_empty() { "no types yet".to_owned() } else { names.join(", ") })
}

/// Formats a refusal, one problem on each line, with its position in the local file.
fn format_refusal(refusal: &Refusal, files: &BTreeMap<String, File>) -> String {
    refusal.problems.iter().fold(String::new(), |text, problem| {
        let location = files.iter().find_map(|(path, file)| {
            let message = problem.message.strip_prefix(&format!("files[{path:?}] "))?;
            Some((file, message))
        });
        let Some((file, message)) = location else { return text + "error: " + &problem.message + "\n" };
        let path = file.display_path.display();
        let place = message.strip_prefix("at ").and_then(|text| text.split_once(": "));
        match place {
            Some((place, message)) => format!("{text}error: {path}:{place}: {message}\n"),
            None => format!("{text}error: {path}: {}\n", message.trim_start_matches("is refused: ")),
        }
    })
}
