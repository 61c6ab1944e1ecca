//! The `converge new resource` command.

use std::path::PathBuf;

use clap::Args;
use converge_core::Registry;
use converge_core::view::render::sanitize_line;

use super::folder;
use super::name::CrateName;
use super::origin::{Origin, OriginArgs};
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// The files of a new crate, by their paths in the crate.
///
/// Names are replaced as in the template of [a controller](super::controller::TEMPLATE).
pub(super) const TEMPLATE: [(&str, &str); 14] = [
    ("Cargo.toml", include_str!("template/resource/manifest.toml")),
    ("clippy.toml", include_str!("template/resource/clippy.toml")),
    (".gitignore", include_str!("template/ignored.txt")),
    (".github/workflows/ci.yml", include_str!("template/resource/ci.yml")),
    ("README.md", include_str!("template/resource/README.md")),
    ("src/lib.rs", include_str!("template/resource/src/lib.rs")),
    ("src/main.rs", include_str!("template/resource/src/main.rs")),
    ("src/plugin.rs", include_str!("template/resource/src/plugin.rs")),
    ("src/resource.rs", include_str!("template/resource/src/resource.rs")),
    ("src/resource/example.hcl", include_str!("template/resource/src/resource/example.hcl")),
    ("src/resource/tests.rs", include_str!("template/resource/src/resource/tests.rs")),
    ("samples/right.hcl", include_str!("template/resource/samples/right.hcl")),
    ("samples/wrong.hcl", include_str!("template/resource/samples/wrong.hcl")),
    ("tests/samples.rs", include_str!("template/resource/tests/samples.rs")),
];

/// The expected diagnostics of `samples/wrong.hcl`.
const WRONG: (&str, &str) = ("samples/wrong.txt", include_str!("template/resource/samples/wrong.txt"));

/// The words with which the blocks and references of the module language begin.
const RESERVED_BLOCKS: [&str; 12] = [
    "case", "default", "each", "local", "locals", "module", "output", "param", "platform", "plugin", "self",
    "switch",
];

#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    /// The name of the resource: `web-banner`. The crate gets this name, modules write `web_banner`, and
    /// the type is `WebBanner`
    #[arg(value_name = "NAME")]
    name: CrateName,

    /// The folder to create [default: NAME in the working directory]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,

    #[command(flatten)]
    origin: OriginArgs,
}

impl ResourceArgs {
    /// Creates a crate with a resource whose name must not be in `taken`.
    pub(super) fn run(self, registry: &Registry) -> Result<Exit, CliError> {
        let name = self.name.snake();
        if registry.get(&name).is_some() || RESERVED_BLOCKS.contains(&&*name) {
            return Err(CliError::NameTaken(name));
        }
        let origin = self.origin.origin()?;
        let path = self.path.unwrap_or_else(|| self.name.kebab().into());
        let mut files = Vec::with_capacity(TEMPLATE.len() + 1);
        for (file, text) in TEMPLATE.into_iter().chain([WRONG]) {
            files.push((file, self.name.fill_in(&fill_in_dependencies(text, &origin)?)));
        }
        folder::make(&path, &files)?;
        let display_path = sanitize_line(&path.display().to_string()).into_owned();
        print(&format!(
            "made {display_path}: the resource {name}, its tests, samples, and a program that has it\n\
             to test it: cd {display_path} && cargo test\n\
             to use it:  cd {display_path} && cargo run --features command -- plan samples/right.hcl\n"
        ))?;
        Ok(Exit::Done)
    }
}

/// Fills in the dependencies of a template file for this origin.
fn fill_in_dependencies(text: &str, origin: &Origin) -> Result<String, CliError> {
    if !text.contains("@core@") {
        return Ok(text.to_owned());
    }
    let (core, cli) = (origin.dependency("converge-core")?, origin.dependency("converge-cli")?);
    Ok(text
        .replace("@core@", &format!("{{ {core}, default-features = false, features = [\"derive\"] }}"))
        .replace("@core_dev@", &format!("{{ {core}, features = [\"render\", \"testing\"] }}"))
        .replace(
            "@cli@",
            &format!(
                "{{ {cli}, default-features = false, features = [\"file\", \"lsp\"], optional = true }}"
            ),
        ))
}
