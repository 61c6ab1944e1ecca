//! Where modules are read from.

use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;
use converge_core::load::{Http, Sources};

use super::home;

const HEADING: &str = "Modules that are fetched";

/// The arguments of every command that loads modules.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// Take modules with a URL from the cache only, and never use the network.
    #[arg(
        long,
        env = "CONVERGE_OFFLINE",
        hide_env_values = true,
        value_parser = FalseyValueParser::new(),
        help_heading = HEADING
    )]
    offline: bool,

    /// Keep modules that are fetched in this folder [default: `converge` in `$XDG_CACHE_HOME` or `~/.cache`].
    #[arg(long, value_name = "DIR", env = "CONVERGE_CACHE_DIR", hide_env_values = true, help_heading = HEADING)]
    cache_dir: Option<PathBuf>,
}

impl SourceArgs {
    /// How modules are found and read.
    #[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
    pub(crate) fn sources(&self) -> Sources {
        let folder = self.cache_dir.clone().filter(|folder| !folder.as_os_str().is_empty());
        let usual = || home::folder(std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME"), ".cache");
        let folder = folder.or_else(usual);
        let http = folder.into_iter().fold(Http::new(), Http::cache);
        Sources::new().with_http(if self.offline { http.offline() } else { http })
    }
}
