//! The `converge new module` command.

use std::path::PathBuf;

use clap::Args;
use converge_core::view::render::sanitize_line;

use super::folder;
use super::name::CrateName;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// The files of a new module, by their paths in its folder.
///
/// The name of the module replaces `sample-crate`.
const TEMPLATE: [(&str, &str); 5] = [
    ("main.hcl", include_str!("template/module/main.hcl")),
    ("samples/site.hcl", include_str!("template/module/samples/site.hcl")),
    ("samples/wrong.hcl", include_str!("template/module/samples/wrong.hcl")),
    ("README.md", include_str!("template/module/README.md")),
    (".github/workflows/ci.yml", include_str!("template/module/ci.yml")),
];

#[derive(Debug, Args)]
pub(crate) struct ModuleArgs {
    /// The name of the module: `web-site`
    #[arg(value_name = "NAME")]
    name: CrateName,

    /// The folder to create [default: NAME in the working directory]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

impl ModuleArgs {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let path = self.path.unwrap_or_else(|| self.name.kebab().into());
        folder::make(&path, &TEMPLATE.map(|(file, text)| (file, self.name.fill_in(text))))?;
        let display_path = sanitize_line(&path.display().to_string()).into_owned();
        print(&format!(
            "made {display_path}: a module with parameters, and samples that use it\n\
             to try it: cd {display_path} && converge plan samples/site.hcl\n"
        ))?;
        Ok(Exit::Done)
    }
}
