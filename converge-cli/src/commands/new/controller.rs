//! `converge new controller`.

use std::path::{Path, PathBuf};

use clap::Args;
use converge_core::view::render::sanitize_line;

use super::folder;
use super::name::CrateName;
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// The files of a new crate, by their paths in it.
///
/// They are Rust as it stands: names of the new crate take the place of `sample-crate`, `sample_crate` and `SampleKind`.
pub(super) const TEMPLATE: [(&str, &str); 12] = [
    ("Cargo.toml", include_str!("template/manifest.toml")),
    (".gitignore", include_str!("template/ignored.txt")),
    ("src/lib.rs", include_str!("template/src/lib.rs")),
    ("src/types.rs", include_str!("template/src/types.rs")),
    ("src/types/tests.rs", include_str!("template/src/types/tests.rs")),
    ("src/controller.rs", include_str!("template/src/controller.rs")),
    ("src/controller/tests.rs", include_str!("template/src/controller/tests.rs")),
    ("tests/controllers/main.rs", include_str!("template/tests/controllers/main.rs")),
    ("tests/controllers/bodies.rs", include_str!("template/tests/controllers/bodies.rs")),
    ("tests/controllers/memory.rs", include_str!("template/tests/controllers/memory.rs")),
    ("tests/controllers/redb.rs", include_str!("template/tests/controllers/redb.rs")),
    ("tests/controllers/etcd.rs", include_str!("template/tests/controllers/etcd.rs")),
];

#[derive(Debug, Args)]
pub(crate) struct ControllerArgs {
    /// What the controller takes care of, in the singular: `music-label`. The crate is called so, and its first type
    /// `MusicLabel`.
    #[arg(value_name = "NAME")]
    name: CrateName,

    /// The folder to make [default: NAME, here].
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,

    /// Depend on the sources of Converge in this folder, in place of the released version.
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
}

impl ControllerArgs {
    pub(super) fn run(self) -> Result<Exit, CliError> {
        let dependency = Dependency::new(self.source.as_deref())?;
        let path = self.path.unwrap_or_else(|| self.name.kebab().into());
        let files = TEMPLATE.map(|(file, text)| (file, fill_in(text, &self.name, &dependency)));
        folder::make(&path, &files)?;
        let (shown, kind) = (sanitize_line(&path.display().to_string()).into_owned(), self.name.pascal());
        print(&format!(
            "made {shown}: the type {kind}, a controller of it, and their tests\n\
             to run them: cd {shown} && cargo test\n"
        ))?;
        Ok(Exit::Done)
    }
}

/// How the new crate depends on `converge-controller`.
struct Dependency(String);

impl Dependency {
    /// On the release that this command is of, or on sources in a folder.
    fn new(source: Option<&Path>) -> Result<Self, CliError> {
        let Some(source) = source else {
            return Ok(Self(format!("version = \"{}\"", env!("CARGO_PKG_VERSION"))));
        };
        let no_sources = || CliError::NoSources(source.to_owned());
        // The new crate may be anywhere.
        let package = folder::with_crate(&source.join("converge-controller")).ok_or_else(no_sources)?;
        // A string of JSON is one of TOML too.
        let path = serde_json::to_string(package.to_str().ok_or_else(no_sources)?)?;
        Ok(Self(format!("path = {path}")))
    }
}

/// A file of the template for a crate of this name.
fn fill_in(text: &str, name: &CrateName, Dependency(dependency): &Dependency) -> String {
    text.replace("@dependency@", &format!("{{ {dependency} }}"))
        .replace("@dev_dependency@", &format!("{{ {dependency}, features = [\"testing\"] }}"))
        .replace("sample-crate", &name.kebab())
        .replace("sample_crate", &name.snake())
        .replace("SampleKind", &name.pascal())
}
