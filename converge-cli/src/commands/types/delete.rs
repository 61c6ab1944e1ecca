//! The `converge type delete` command.

use clap::Args;

use super::name::named;
use crate::args::ServerArgs;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, Args)]
#[command(after_help = "\
A definition whose types still have resources is not deleted: the error says how many there are of each type.

Examples:
  converge type delete demo")]
pub(super) struct DeleteArgs {
    /// The names of the definitions: the groups of their types
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    server: ServerArgs,
}

impl DeleteArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let mut missing = Vec::new();
        for name in &self.names {
            let name = name.replace('_', "-");
            let id = named(&types, &name)?;
            match server.read(&id, true) {
                Err(error) if error.is("not_found") => missing.push(name),
                Err(error) => return Err(error.into()),
                Ok(_) => {
                    server.delete(&id, &id.query())?;
                    print(&format!("deleted {name}\n"))?;
                }
            }
        }
        if missing.is_empty() {
            return Ok(Exit::Done);
        }
        Err(CliError::Message(format!("there is no definition of types {}", missing.join(", "))))
    }
}
