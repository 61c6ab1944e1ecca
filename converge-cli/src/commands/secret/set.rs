//! The `converge secret set` command.

use std::io::{self, IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::name::named;
use crate::args::{ServerArgs, TenancyArgs};
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// The maximum number of bytes read: those of the longest secret and of a line break.
const MAX_BYTES: u64 = 65_536 + 2;

#[derive(Debug, Args)]
#[command(after_help = "\
The value comes from a file or from standard input, because all users of the machine can see the arguments of a
program. One line break at the end is left out.

Examples:
  converge secret set db-password --from-file password.txt
  pass show db | converge secret set db-password -n web")]
pub(super) struct SetArgs {
    /// The name of the secret
    #[arg(value_name = "NAME")]
    name: String,

    /// Read the value from this file [default: standard input]
    #[arg(long, value_name = "FILE")]
    from_file: Option<PathBuf>,

    /// The purpose of the secret [default: unchanged]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    #[command(flatten)]
    tenancy: TenancyArgs,

    #[command(flatten)]
    server: ServerArgs,
}

impl SetArgs {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let value = self.value()?;
        let server = self.server.open()?;
        let types = server.types()?;
        let id = named(&types, &self.name, &self.tenancy)?;
        let mut body = match server.read(&id, true) {
            // The version keeps the write from overwriting what somebody else has changed meanwhile.
            Ok(resource) => {
                let mut body = resource.desired_state();
                body["version"] = json!(resource.version());
                body
            }
            Err(error) if error.is("not_found") => json!({ "data": {} }),
            Err(error) => return Err(error.into()),
        };
        let is_new = body.get("version").is_none();
        body["data"]["value"] = json!(value);
        if let Some(description) = self.description {
            body["data"]["description"] = json!(description);
        }
        let resource = server.write(&id, &body, false)?;
        let verb = if is_new { "created" } else { "changed" };
        print(&format!("{verb} {}/{}/{}\n", resource.partition(), resource.namespace(), resource.name()))?;
        Ok(Exit::Done)
    }

    fn value(&self) -> Result<String, CliError> {
        let (name, bytes) = match &self.from_file {
            Some(file) => (file.display().to_string(), read(file)),
            None if io::stdin().is_terminal() => {
                let message = "the value is read from standard input, which is a terminal: give it with `<`, a pipe or --from-file";
                return Err(CliError::Message(message.to_owned()));
            }
            None => ("standard input".to_owned(), read_all(io::stdin())),
        };
        let bytes = bytes.map_err(|error| CliError::Message(format!("cannot read {name}: {error}")))?;
        // The error does not quote the content, which is secret.
        let text = String::from_utf8(bytes).map_err(|_| {
            CliError::Message(format!(
                "{name} is not UTF-8: write it as base64, and read it so in the module"
            ))
        })?;
        Ok(trim_line_break(&text).to_owned())
    }
}

#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn read(file: &Path) -> io::Result<Vec<u8>> {
    read_all(std::fs::File::open(file)?)
}

fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Removes the line break that editors and `echo` append.
fn trim_line_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::trim_line_break;

    #[test]
    fn one_line_break_is_left_out() {
        for (text, expect) in [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("\na ", "\na ")] {
            assert_eq!(trim_line_break(text), expect, "{text:?}");
        }
    }
}
