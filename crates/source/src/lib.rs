//! Sources of modules, and the reading of their text.
//!
//! This crate owns how a module is found, fetched, cached and locked to a version. It knows the graph, and neither the loader
//! nor the engine. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.
//!
//! A module is named by the text in `module "SOURCE" "NAME"` or on the command line. [`Sources::resolve`]
//! turns it into a [`Source`], which is the same however the place is written. [`Sources::read`] returns its
//! text.

#[cfg(feature = "archive")]
mod archive;
mod blocking_read;
#[cfg(feature = "hcl")]
mod body;
mod chain;
mod confined_folder;
mod error;
#[cfg(feature = "http")]
mod fetch_error;
mod file;
mod file_lookups;
mod files;
mod folder;
mod folder_modules;
#[cfg(feature = "git")]
mod git;
#[cfg(feature = "git")]
mod git_error;
#[cfg(feature = "http")]
mod http;
mod listing;
mod module_folder;
mod module_source;
#[cfg(feature = "http")]
mod pin;
mod read_limits;
#[cfg(test)]
mod tests;
#[cfg(feature = "http")]
mod url_folder;

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_graph::graph::{self, ReadFiles};
use converge_language::{language, syntax};
use converge_system as system;
use converge_value::redact::Redactor;
use converge_value::{diagnostic, types};

use self::file::FileLocation;
use crate::system::http::scheme;

#[cfg(feature = "archive")]
pub use self::archive::{ArchiveError, MemberError, ModulesIn};
#[cfg(feature = "hcl")]
pub use self::body::{BodyError, BodyProblem};
pub use self::chain::Chain;
pub use self::confined_folder::ModulesBelow;
pub use self::error::{FileUrlError, SourceError};
#[cfg(feature = "http")]
pub use self::fetch_error::{Cached, FetchError};
#[doc(hidden)]
pub use self::file::{ModuleText, base_path, identity, read_file};
#[doc(hidden)]
pub use self::file_lookups::list_folder;
pub use self::folder::Folder;
#[cfg(feature = "git")]
pub use self::git::{Commit, Git, LockError, Locked, ModuleLock, NoCommit};
#[cfg(feature = "git")]
pub use self::git_error::{GitError, GitUrlError};
#[cfg(feature = "http")]
pub use self::http::{Http, PlainHttp, Proxies};
pub use self::module_source::{Memory, ModuleSource};
#[cfg(feature = "http")]
pub use self::pin::{ContentHash, SourceUrlError};
pub use self::read_limits::Reading;
#[cfg(feature = "http")]
pub use self::url_folder::ModulesAt;

/// A place that a module comes from.
///
/// Two sources are equal if they are the same place, however each was written: `web.hcl`, `./web.hcl` and a
/// symbolic link to it are equal.
#[derive(Clone)]
pub struct Source {
    name: Arc<str>,
    location: Location,
    whole: Whole,
}

/// Whether a module is one file or a whole folder.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Whole {
    File,
    /// The location is the `module.hcl` of a folder, and all files beside it are part of the module.
    Folder,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Location {
    File(FileLocation),
    /// A name from a [`ModuleSource`].
    Named(Arc<str>),
    /// The text itself.
    #[cfg(feature = "hcl")]
    Text(Arc<str>),
    /// A URL and its pin; another pin makes another location, because its content may differ.
    #[cfg(feature = "http")]
    Url {
        url: crate::system::http::Url,
        pin: Option<ContentHash>,
    },
    #[cfg(feature = "git")]
    Git {
        tree: Arc<git::GitTree>,
        path: Arc<str>,
    },
}

impl Source {
    /// Creates the source of a file, which need not exist.
    ///
    /// ```
    /// use std::path::Path;
    /// use converge_core::load::Source;
    ///
    /// let source = Source::file("site/web.hcl");
    /// assert_eq!(source.to_string(), "site/web.hcl");
    /// assert_eq!(source.directory(), Some(Path::new("site")));
    /// assert_eq!(source, Source::file("./site/../site/web.hcl"));
    /// ```
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            name: path.display().to_string().into(),
            location: Location::File(FileLocation::new(path)),
            whole: Whole::File,
        }
    }

    /// Creates the source of a module that a program builds, for [`Loader::load_source`].
    ///
    /// Messages call it `body.hcl`, and show its text. Its paths are relative to the working directory. Text may hold
    /// templates (`{{ .. }}`), so text from elsewhere should be the value of a parameter.
    ///
    /// An `hcl::Identifier` with a dot is made with `unchecked`; others replace the dot.
    ///
    /// ```
    /// use converge_core::Registry;
    /// use converge_core::load::{Loader, Source};
    ///
    /// let body = hcl::body!({
    ///     param "port" {
    ///         default = 80
    ///     }
    /// });
    /// let registry = Registry::new();
    /// let graph = Loader::new(&registry).load_source(&Source::from_body(&body)?).into_graph()?;
    /// assert!(graph.find("root/param.port").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a part of the body has no form in a module: a template of HCL 2, or an invalid name.
    ///
    /// [`Loader::load_source`]: https://docs.rs/converge-core/latest/converge_core/load/struct.Loader.html#method.load_source
    #[cfg(feature = "hcl")]
    pub fn from_body(body: &hcl::Body) -> Result<Self, BodyError> {
        let text = body::to_text(body)?;
        Ok(Self { name: "body.hcl".into(), location: Location::Text(text.into()), whole: Whole::File })
    }

    #[cfg(feature = "git")]
    fn in_git(tree: Arc<git::GitTree>, path: impl Into<Arc<str>>) -> Self {
        let path = path.into();
        Self { name: tree.name_of(&path).into(), location: Location::Git { tree, path }, whole: Whole::File }
    }

    /// Creates the source of a name in a [`ModuleSource`].
    fn named(name: impl Into<Arc<str>>) -> Self {
        let name = name.into();
        Self { name: Arc::clone(&name), location: Location::Named(name), whole: Whole::File }
    }

    #[cfg(feature = "http")]
    fn url((url, pin): pin::Pinned) -> Self {
        Self { name: url.to_string().into(), location: Location::Url { url, pin }, whole: Whole::File }
    }

    /// Returns the name for messages: the path from the working directory, or the URL.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the folder of the file, as a path to join others to.
    ///
    /// The path is empty for the working directory. Returns `None` if the module does not come from a file.
    pub fn directory(&self) -> Option<&Path> {
        match &self.location {
            Location::File(file) => Some(file.directory()),
            Location::Named(_) => None,
            #[cfg(feature = "hcl")]
            Location::Text(_) => None,
            #[cfg(feature = "http")]
            Location::Url { .. } => None,
            #[cfg(feature = "git")]
            Location::Git { .. } => None,
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.location == other.location && self.whole == other.whole
    }
}

impl Eq for Source {}

impl Hash for Source {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.location.hash(state);
        self.whole.hash(state);
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.name)
    }
}

/// The places where modules are found and read; by default only files.
///
/// # Guarantees
///
/// A text is UTF-8 and at most 16 MiB long; a longer text is not read to its end.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sources {
    /// The only source of modules, if it is set.
    only: Option<Arc<dyn ModuleSource>>,
    /// The source of files for `file`, `templatefile`, `fileexists` and `fileset`, if it is set.
    files: Option<Arc<dyn ModuleSource>>,
    /// Texts that replace the stored texts of modules.
    texts: Option<Texts>,
    #[cfg(feature = "http")]
    fetcher: Option<Arc<http::Fetcher>>,
    #[cfg(feature = "git")]
    git: Option<Arc<git::GitModules>>,
}

/// The replacement texts by module.
#[derive(Clone)]
struct Texts(Arc<HashMap<Source, Arc<str>>>);

/// Leaves out the texts because they are long and may contain secrets.
impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Sources {
    /// Creates sources that only read files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates sources that read modules only from `source`, for example the modules of a tenant.
    ///
    /// No module is then read from a file by its path, not even by
    /// `Loader::load_file`, and none is fetched. Modules have no folder, so
    /// `file` and `templatefile` are errors in them, at load and in a run, unless there are
    /// [files](Self::with_files) for them.
    pub fn only(source: impl ModuleSource + 'static) -> Self {
        Self { only: Some(Arc::new(source)), ..Self::default() }
    }

    /// Restricts `file`, `templatefile`, `fileexists` and `fileset` to the files of this source.
    ///
    /// A path in a module of a [source](Self::only) is relative to the name of that module. In any other
    /// module it is relative to the top folder.
    ///
    /// ```
    /// use converge_core::Registry;
    /// use converge_core::load::{Loader, Memory, Sources};
    ///
    /// let modules = Memory::new().with("web/main.hcl", "param \"motd\" { default = file(\"../motd\") }");
    /// let sources = Sources::only(modules).with_files(Memory::new().with("motd", "hello"));
    /// let registry = Registry::new();
    /// assert!(Loader::new(&registry).with_sources(sources).load("web/main.hcl").into_graph().is_ok());
    /// ```
    pub fn with_files(mut self, files: impl ModuleSource + 'static) -> Self {
        self.files = Some(Arc::new(files));
        self
    }

    /// Replaces the texts of these modules, for example by unsaved texts of an editor.
    ///
    /// ```
    /// use converge_core::Registry;
    /// use converge_core::load::{Loader, Source, Sources};
    ///
    /// let site = (Source::file("site.hcl"), "module \"web.hcl\" \"web\" {}".into());
    /// let web = (Source::file("web.hcl"), "param \"port\" { default = 80 }".into());
    /// let registry = Registry::new();
    /// let loader = Loader::new(&registry).with_sources(Sources::new().with_texts([site, web]));
    /// let graph = loader.load("./site.hcl").into_graph()?;
    /// assert!(graph.find("root/module.web/param.port").is_some());
    /// # Ok::<(), converge_core::load::LoadError>(())
    /// ```
    pub fn with_texts(mut self, texts: impl IntoIterator<Item = (Source, Arc<str>)>) -> Self {
        self.texts = Some(Texts(Arc::new(texts.into_iter().collect())));
        self
    }

    /// Returns the reader of a module's files, if they are not read from its folder.
    #[doc(hidden)]
    pub fn files_of(&self, module: Option<&Source>) -> Option<Arc<dyn ReadFiles>> {
        // The files beside a module in its commit belong to the module.
        #[cfg(feature = "git")]
        if let Some(Location::Git { tree, path }) = module.map(|module| &module.location)
            && self.files.is_none()
        {
            let files: Arc<dyn ModuleSource> = Arc::<git::GitTree>::clone(tree);
            return Some(Arc::new(files::SourceFiles { files, base: Some(Arc::clone(path)) }));
        }
        let base = module.and_then(|module| match &module.location {
            Location::Named(name) => Some(Arc::clone(name)),
            Location::File(_) => None,
            #[cfg(feature = "hcl")]
            Location::Text(_) => None,
            #[cfg(feature = "http")]
            Location::Url { .. } => None,
            #[cfg(feature = "git")]
            Location::Git { .. } => None,
        });
        let files = Arc::clone(self.files.as_ref()?);
        Some(Arc::new(files::SourceFiles { files, base }))
    }

    /// Also fetches modules over HTTP and HTTPS, unless there is [only](Self::only) one source.
    #[cfg(feature = "http")]
    pub fn with_http(mut self, http: Http) -> Self {
        self.fetcher = Some(Arc::new(http::Fetcher::new(http)));
        self
    }

    /// Also reads modules from git repositories, unless there is [only](Self::only) one source.
    #[cfg(feature = "git")]
    pub fn with_git(mut self, git: Git) -> Self {
        self.git = Some(Arc::new(git::GitModules::new(git)));
        self
    }

    /// Returns the sources for a load that begins in this folder, which contains the lock file.
    #[cfg(feature = "git")]
    #[doc(hidden)]
    pub fn beside(&self, folder: Option<&Path>) -> Self {
        let git = self.git.as_ref();
        let git = git.map(|git| {
            folder.and_then(|folder| git.beside(folder)).map_or_else(|| Arc::clone(git), Arc::new)
        });
        Self { git, ..self.clone() }
    }

    /// Returns the sources for a load that begins in this folder.
    #[cfg(not(feature = "git"))]
    #[doc(hidden)]
    pub fn beside(&self, _folder: Option<&Path>) -> Self {
        self.clone()
    }

    /// Returns the git branches and tags that were used so far, with their commits.
    #[cfg(feature = "git")]
    pub fn locked(&self) -> ModuleLock {
        self.git.as_ref().map(|git| git.used()).unwrap_or_default()
    }

    /// Resolves `written` relative to the module `base`, or on the command line if there is none.
    ///
    /// A source is a path or a URL. A relative path starts at the folder of `base`, or at the working
    /// directory without a base. In a module that was fetched it is relative to the URL of that module.
    /// Nothing is read, so the place need not exist.
    ///
    /// ```
    /// use converge_core::load::{Source, Sources};
    ///
    /// let sources = Sources::new();
    /// let site = sources.resolve(None, "site/main.hcl")?;
    /// let web = sources.resolve(Some(&site), "modules/web.hcl")?;
    /// assert_eq!(web.to_string(), "site/modules/web.hcl");
    /// assert_eq!(sources.resolve(None, "file:///srv/a%20b.hcl")?, Source::file("/srv/a b.hcl"));
    /// # Ok::<(), converge_core::load::SourceError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `written` is empty, or is an invalid or unsupported URL. A module from elsewhere must not
    /// name a file of this machine.
    pub fn resolve(&self, base: Option<&Source>, reference: &str) -> Result<Source, SourceError> {
        if reference.is_empty() {
            return Err(SourceError::Empty);
        }
        let base = base.map(|base| &base.location);
        if let Some(module_source) = &self.only {
            let base = match base {
                Some(Location::Named(name)) => Some(&**name),
                _ => None,
            };
            return Ok(Source::named(module_source.resolve(base, reference)?));
        }
        #[cfg(feature = "git")]
        if let Some(git) = &self.git
            && git::GitUrl::is_git_source(reference)
            && !matches!(base, Some(Location::Named(_)))
        {
            let (tree, path) = git.find(reference)?;
            return Ok(Source::in_git(tree, path));
        }
        let written = || Redactor::without_passwords(reference);
        match (scheme(reference), base) {
            // The name came from a source that is no longer used, and is not a path of this machine.
            (_, Some(Location::Named(_))) => Err(SourceError::Outside { written: written() }),
            (None, None) => Ok(Source::file(reference)),
            (None, Some(Location::File(file))) => Ok(Source::file(file.join(reference))),
            #[cfg(feature = "hcl")]
            (None, Some(Location::Text(_))) => Ok(Source::file(reference)),
            #[cfg(feature = "http")]
            (None, Some(Location::Url { url, .. })) => pin::join(url, reference)
                .map(Source::url)
                .map_err(|problem| SourceError::BadUrl { url: written(), problem }),
            #[cfg(feature = "http")]
            (Some(scheme), _) if self.fetcher.is_some() && pin::is_http(scheme) => pin::parse(reference)
                .map(Source::url)
                .map_err(|problem| SourceError::BadUrl { url: written(), problem }),
            #[cfg(feature = "git")]
            (None, Some(Location::Git { tree, path })) => match tree.resolve(Some(path), reference) {
                Ok(path) => Ok(Source::in_git(Arc::clone(tree), path)),
                Err(_) => {
                    Err(SourceError::OutsideRepository { written: written(), module: tree.name_of(path) })
                }
            },
            #[cfg(feature = "git")]
            (Some(scheme), Some(Location::Git { tree, path })) if is_file(scheme) => {
                Err(SourceError::OutsideRepository { written: written(), module: tree.name_of(path) })
            }
            #[cfg(feature = "http")]
            (Some(scheme), Some(Location::Url { url, .. })) if is_file(scheme) => {
                Err(SourceError::FileOfUrl { written: written(), module: url.to_string() })
            }
            (Some(scheme), _) if is_file(scheme) => Ok(Source::file(file::from_url(reference)?)),
            (Some(scheme), _) => Err(SourceError::UnknownScheme {
                written: written(),
                scheme: scheme.to_owned(),
                known: self.kinds(),
            }),
        }
    }

    /// Reads the text of a module.
    ///
    /// A file is read on each call; callers that need it several times in a load cache it by [`Source`].
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read or fetched, is too long, or is not UTF-8.
    pub fn read(&self, source: &Source) -> Result<Arc<str>, SourceError> {
        self.read_within(source, &Reading::default())
    }

    /// Like [`read`](Self::read), with a limit below the maximum of one text.
    #[doc(hidden)]
    pub fn read_within(&self, source: &Source, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let Some(stop) = reading.stop() else { return self.read_here(source, reading) };
        let (sources, own_source, own_reading) = (self.clone(), source.clone(), reading.clone());
        blocking_read::read_until(stop, source.name(), move || sources.read_here(&own_source, &own_reading))
    }

    /// Returns whether a replacement text is set for a source.
    fn has_text(&self, source: &Source) -> bool {
        self.texts.as_ref().is_some_and(|Texts(texts)| texts.contains_key(source))
    }

    fn read_here(&self, source: &Source, reading: &Reading) -> Result<Arc<str>, SourceError> {
        if let Some(text) = self.texts.as_ref().and_then(|Texts(texts)| texts.get(source)) {
            reading.check(source.name(), text.len() as u64)?;
            return Ok(Arc::clone(text));
        }
        match (&source.location, &self.only) {
            // The program gives the text, so it is not one that `only` has to provide.
            #[cfg(feature = "hcl")]
            (Location::Text(text), _) => {
                reading.check(source.name(), text.len() as u64)?;
                Ok(Arc::clone(text))
            }
            (Location::Named(name), Some(only)) => {
                let text = only.read(name, reading)?;
                reading.check(name, text.len() as u64)?;
                Ok(text)
            }
            // The source was resolved by other `Sources`.
            (Location::Named(_), None) | (_, Some(_)) => {
                Err(SourceError::Outside { written: source.to_string() })
            }
            (Location::File(file), None) => file::read(file.path(), reading),
            #[cfg(feature = "git")]
            (Location::Git { tree, path }, None) => tree.read(path, reading),
            #[cfg(feature = "http")]
            (Location::Url { url, pin }, None) => match &self.fetcher {
                Some(fetcher) => fetcher.read(url, *pin, reading),
                // The source was resolved by other `Sources` that can fetch URLs.
                None => Err(SourceError::UnknownScheme {
                    written: url.to_string(),
                    scheme: "http".to_owned(),
                    known: self.kinds(),
                }),
            },
        }
    }

    /// Returns the supported schemes, for messages.
    fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = vec!["a path", "file://"];
        if self.fetches() {
            kinds.extend(["http://", "https://"]);
        }
        if self.clones() {
            kinds.extend(["git::https://", "git::ssh://", "git::file://"]);
        }
        kinds
    }

    /// Returns whether modules can be fetched over HTTP.
    #[cfg(feature = "http")]
    fn fetches(&self) -> bool {
        self.fetcher.is_some()
    }

    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_self, reason = "with http it says whether there is a fetcher")]
    fn fetches(&self) -> bool {
        false
    }

    /// Returns whether modules can be read from git repositories.
    #[cfg(feature = "git")]
    fn clones(&self) -> bool {
        self.git.is_some()
    }

    #[cfg(not(feature = "git"))]
    #[expect(clippy::unused_self, reason = "with git it says whether it is used")]
    fn clones(&self) -> bool {
        false
    }
}

fn is_file(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("file")
}
