//! Where modules are read from.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;
use converge_core::load::{Http, Sources};

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
        let folder = folder.or_else(|| cache(std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME")));
        let http = folder.into_iter().fold(Http::new(), Http::cache);
        Sources::new().with_http(if self.offline { http.offline() } else { http })
    }
}

/// The folder that is meant when none is named.
fn cache(xdg: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    // A relative path in these variables has no meaning, as the working directory can be any.
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let folder = xdg.and_then(absolute).or_else(|| Some(home.and_then(absolute)?.join(".cache")));
    folder.map(|folder| folder.join("converge"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_users_keep_such_things() {
        let check = |xdg: Option<&str>, home: Option<&str>, expect: Option<&str>| {
            let found = cache(xdg.map(OsString::from), home.map(OsString::from));
            assert_eq!(found, expect.map(PathBuf::from), "{xdg:?} {home:?}");
        };
        check(Some("/c"), Some("/h"), Some("/c/converge"));
        check(None, Some("/h"), Some("/h/.cache/converge"));
        check(Some(""), Some("/h"), Some("/h/.cache/converge"));
        check(Some("c"), Some("/h"), Some("/h/.cache/converge"));
        check(None, Some(""), None);
        check(None, None, None);
    }
}
