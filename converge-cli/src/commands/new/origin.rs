//! The source that a new crate takes Converge from.

use std::path::{Path, PathBuf};

use clap::Args;

use super::folder;
use crate::error::CliError;

/// The source that a new crate takes Converge from.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct OriginArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// Use this commit, tag or branch of the repository [default: its newest]
    #[arg(long, value_name = "REV", requires = "git", conflicts_with_all = ["source", "registry"])]
    rev: Option<String>,
}

/// The place of the sources; one is required.
///
/// There is no default, because the crates with these names on crates.io belong to other people.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PlaceArgs {
    /// Depend on the sources of Converge in this folder
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,

    /// Depend on the sources of Converge in this git repository
    #[arg(long, value_name = "URL")]
    git: Option<String>,

    /// Depend on the crates of this registry, by its name in the cargo configuration. It is never
    /// crates.io, where crates with these names belong to other people
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,
}

/// The source that a new crate takes Converge from, as in a manifest.
#[derive(Debug)]
pub(super) enum Origin {
    /// Sources in a folder.
    Folder(PathBuf),
    /// The rest of a manifest line that names a repository or a registry.
    Elsewhere(String),
}

impl OriginArgs {
    pub(super) fn origin(self) -> Result<Origin, CliError> {
        let Self { place: PlaceArgs { source, git, registry }, rev } = self;
        Ok(match (source, git, registry) {
            (Some(source), ..) => Origin::Folder(source),
            (None, Some(url), _) => {
                let rev =
                    rev.map(|rev| Ok::<_, CliError>(format!(", rev = {}", quoted(&rev)?))).transpose()?;
                Origin::Elsewhere(format!("git = {}{}", quoted(&url)?, rev.unwrap_or_default()))
            }
            (None, None, registry) => {
                let registry = quoted(&registry.unwrap_or_default())?;
                Origin::Elsewhere(format!(
                    "version = \"{}\", registry = {registry}",
                    env!("CARGO_PKG_VERSION")
                ))
            }
        })
    }
}

impl Origin {
    /// Returns the dependency on a package, as the content of the braces in the manifest.
    pub(super) fn dependency(&self, package: &'static str) -> Result<String, CliError> {
        let folder = match self {
            Self::Elsewhere(origin) => return Ok(origin.clone()),
            Self::Folder(folder) => folder,
        };
        let no_sources = || CliError::NoSources { folder: folder.clone(), package };
        // The path is absolute because the new crate may be anywhere.
        let path = folder::with_crate(&folder.join(Path::new(package))).ok_or_else(no_sources)?;
        Ok(format!("path = {}", quoted(path.to_str().ok_or_else(no_sources)?)?))
    }
}

/// Quotes a TOML string; a JSON string is a valid TOML string.
fn quoted(text: &str) -> Result<String, CliError> {
    Ok(serde_json::to_string(text)?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        origin: OriginArgs,
    }

    fn dependency(arguments: &[&str]) -> Result<String, String> {
        let line = Line::try_parse_from([&["new"], arguments].concat());
        let origin = line.map_err(|error| error.to_string())?.origin.origin();
        origin.and_then(|origin| origin.dependency("converge-core")).map_err(|error| error.to_string())
    }

    #[test]
    fn where_converge_comes_from() {
        let check = |arguments: &[&str], expect: &str| {
            assert_eq!(dependency(arguments).as_deref(), Ok(expect), "{arguments:?}");
        };
        check(&["--git", "https://example.org/x"], r#"git = "https://example.org/x""#);
        check(&["--git", "u", "--rev", "v1"], r#"git = "u", rev = "v1""#);
        check(&["--git", "a\"b\n"], r#"git = "a\"b\n""#);
        let version = env!("CARGO_PKG_VERSION");
        check(&["--registry", "ours"], &format!("version = \"{version}\", registry = \"ours\""));
    }

    #[test]
    fn it_has_to_be_said_once() {
        let check = |arguments: &[&str], expect: &str| {
            let message = dependency(arguments).unwrap_err();
            assert!(message.contains(expect), "{arguments:?}: {message}");
        };
        check(&[], "--source <DIR>|--git <URL>|--registry <NAME>");
        check(&["--git", "u", "--registry", "ours"], "cannot be used with");
        check(&["--source", ".", "--rev", "v1"], "cannot be used with");
        check(&["--rev", "v1"], "--git <URL>");
        check(&["--source", "/nowhere"], "there are no sources of Converge in /nowhere");
    }
}
