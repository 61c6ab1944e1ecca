//! The `converge new controller` command.

use std::path::PathBuf;

use clap::Args;
use converge_core::view::render::sanitize_line;

use super::folder;
use super::name::CrateName;
use super::origin::OriginArgs;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// The files of a new crate, by their paths in the crate.
///
/// The files are valid Rust. Names of the new crate replace `sample-crate`, `sample_crate` and `SampleKind`.
pub(super) const TEMPLATE: [(&str, &str); 12] = [
    ("Cargo.toml", include_str!("template/controller/manifest.toml")),
    (".gitignore", include_str!("template/ignored.txt")),
    ("src/lib.rs", include_str!("template/controller/src/lib.rs")),
    ("src/types.rs", include_str!("template/controller/src/types.rs")),
    ("src/types/tests.rs", include_str!("template/controller/src/types/tests.rs")),
    ("src/controller.rs", include_str!("template/controller/src/controller.rs")),
    ("src/controller/tests.rs", include_str!("template/controller/src/controller/tests.rs")),
    ("tests/controllers/main.rs", include_str!("template/controller/tests/controllers/main.rs")),
    (
        "tests/controllers/shared_cases.rs",
        include_str!("template/controller/tests/controllers/shared_cases.rs"),
    ),
    ("tests/controllers/memory.rs", include_str!("template/controller/tests/controllers/memory.rs")),
    ("tests/controllers/redb.rs", include_str!("template/controller/tests/controllers/redb.rs")),
    ("tests/controllers/etcd.rs", include_str!("template/controller/tests/controllers/etcd.rs")),
];

#[derive(Debug, Args)]
pub(crate) struct ControllerArgs {
    /// The thing that the controller manages, in the singular: `music-label`. The crate gets this name, and
    /// its first type is `MusicLabel`
    #[arg(value_name = "NAME")]
    name: CrateName,

    /// The folder to create [default: NAME in the working directory]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,

    #[command(flatten)]
    origin: OriginArgs,
}

impl ControllerArgs {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let dependency = self.origin.origin()?.dependency("converge-controller")?;
        let path = self.path.unwrap_or_else(|| self.name.kebab().into());
        let files = TEMPLATE.map(|(file, text)| (file, fill_in(text, &self.name, &dependency)));
        folder::make(&path, &files)?;
        let (display_path, kind) =
            (sanitize_line(&path.display().to_string()).into_owned(), self.name.pascal());
        print(&format!(
            "made {display_path}: the type {kind}, a controller of it, and their tests\n\
             to run them: cd {display_path} && cargo test\n"
        ))?;
        Ok(Exit::Done)
    }
}

/// Fills in a template file for this crate name and this dependency on `converge-controller`.
fn fill_in(text: &str, name: &CrateName, dependency: &str) -> String {
    let text = text.replace("@dependency@", &format!("{{ {dependency} }}"));
    name.fill_in(&text.replace("@dev_dependency@", &format!("{{ {dependency}, features = [\"testing\"] }}")))
}
