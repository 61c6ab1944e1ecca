//! Options for where modules are read from.

#[cfg(any(feature = "git", feature = "http"))]
use std::path::PathBuf;

use clap::Args;
#[cfg(any(feature = "git", feature = "http"))]
use clap::builder::FalseyValueParser;
use converge_core::load::Sources;
#[cfg(feature = "git")]
use converge_core::load::{Git, ModuleLock};
#[cfg(feature = "http")]
use converge_core::load::{Http, PlainHttp};
#[cfg(any(feature = "git", feature = "http"))]
use converge_core::state::examine;

#[cfg(any(feature = "git", feature = "http"))]
use super::home;
use crate::console::Console;

#[cfg(any(feature = "git", feature = "http"))]
const HEADING: &str = "Modules that are fetched";

#[derive(Debug, Default, Args)]
pub(crate) struct SourceArgs {
    /// Take modules with a URL from the cache only, and never use the network
    #[cfg(any(feature = "git", feature = "http"))]
    #[arg(
        long,
        env = "CONVERGE_OFFLINE",
        hide_env_values = true,
        value_parser = FalseyValueParser::new(),
        help_heading = HEADING
    )]
    offline: bool,

    /// Also fetch unpinned modules from other machines without encryption. Anyone on the network path can
    /// then decide what this command does
    #[cfg(feature = "http")]
    #[arg(
        long,
        env = "CONVERGE_ALLOW_PLAIN_HTTP",
        hide_env_values = true,
        value_parser = FalseyValueParser::new(),
        help_heading = HEADING
    )]
    allow_plain_http: bool,

    #[command(flatten)]
    cache: CacheArgs,
}

/// The cache of fetched modules.
#[derive(Debug, Default, Args)]
pub(crate) struct CacheArgs {
    /// Cache fetched modules in this folder [default: `converge` in `$XDG_CACHE_HOME` or `~/.cache`]
    #[cfg(any(feature = "git", feature = "http"))]
    #[arg(long, value_name = "DIR", env = "CONVERGE_CACHE_DIR", hide_env_values = true, help_heading = HEADING)]
    cache_dir: Option<PathBuf>,
}

impl SourceArgs {
    /// Returns the sources that modules are loaded from.
    #[cfg(not(any(feature = "git", feature = "http")))]
    #[expect(clippy::unused_self, reason = "without the network there is nothing to say about it")]
    pub(crate) fn sources(&self, _console: Console) -> Sources {
        Sources::new()
    }

    /// Returns the sources that modules are loaded from.
    #[cfg(any(feature = "git", feature = "http"))]
    pub(crate) fn sources(&self, console: Console) -> Sources {
        let folder = self.cache.folder(self.offline, console);
        let sources = self.base_sources(folder.clone());
        #[cfg(feature = "git")]
        let sources = sources.with_git(git(folder, self.offline));
        sources
    }

    /// Like `sources`, but for branches and tags that `lock` lacks their current commits are used.
    #[cfg(feature = "git")]
    pub(crate) fn to_lock(&self, lock: ModuleLock, console: Console) -> Sources {
        let folder = self.cache.folder(self.offline, console);
        self.base_sources(folder.clone()).with_git(git(folder, self.offline).lock(lock).resolving())
    }

    /// Returns a source for files and for modules fetched over HTTP.
    #[cfg(feature = "http")]
    fn base_sources(&self, folder: Option<PathBuf>) -> Sources {
        let http = http(folder);
        let http = if self.allow_plain_http { http.plain_http(PlainHttp::Anywhere) } else { http };
        Sources::new().with_http(if self.offline { http.offline() } else { http })
    }

    /// Returns a source for files.
    #[cfg(all(feature = "git", not(feature = "http")))]
    #[expect(clippy::unused_self, reason = "with http it says how")]
    fn base_sources(&self, _folder: Option<PathBuf>) -> Sources {
        Sources::new()
    }
}

impl CacheArgs {
    /// Returns a source for files and cached modules that never uses the network.
    #[cfg(all(feature = "lsp", not(any(feature = "git", feature = "http"))))]
    #[expect(clippy::unused_self, reason = "without the network nothing was ever fetched")]
    pub(crate) fn offline(&self, _console: Console) -> Sources {
        Sources::new()
    }

    /// Returns a source for files and cached modules that never uses the network.
    #[cfg(all(feature = "lsp", any(feature = "git", feature = "http")))]
    pub(crate) fn offline(&self, console: Console) -> Sources {
        let folder = self.folder(false, console);
        let sources = Sources::new();
        #[cfg(feature = "git")]
        let sources = sources.with_git(git(folder.clone(), true));
        #[cfg(feature = "http")]
        let sources = sources.with_http(http(folder).offline());
        sources
    }

    /// Returns the cache folder, if it is safe to use.
    #[cfg(any(feature = "git", feature = "http"))]
    #[expect(clippy::disallowed_methods, reason = "it is about the user who runs the command")]
    fn folder(&self, is_offline: bool, console: Console) -> Option<PathBuf> {
        let cache_dir = self.cache_dir.clone().filter(|folder| !folder.as_os_str().is_empty());
        // A user who never fetches modules needs no warning about the cache.
        let is_wanted = is_offline || cache_dir.is_some();
        let usual = || home::folder(std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME"), ".cache");
        let is_safe = |folder: &PathBuf| {
            let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            let examined = examine(&absolute);
            if let Err(untrusted) = &examined
                && (is_wanted || folder.is_dir())
            {
                console.warning(format_args!("fetched modules are not cached: {untrusted}"));
            }
            examined.is_ok()
        };
        cache_dir.or_else(usual).filter(is_safe)
    }
}

#[cfg(feature = "http")]
fn http(folder: Option<PathBuf>) -> Http {
    folder.into_iter().fold(Http::new(), Http::cache)
}

#[cfg(feature = "git")]
fn git(folder: Option<PathBuf>, is_offline: bool) -> Git {
    let git = folder.map_or_else(Git::without_cache, Git::new);
    if is_offline { git.offline() } else { git }
}
