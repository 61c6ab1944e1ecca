//! The interface for modules that an application stores elsewhere.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::error::SourceError;
use super::listing;
use super::read_limits::Reading;
use crate::types::folder_entry::FolderEntry;
use crate::types::value::Text;

/// A place that modules come from: a database, an archive, memory.
///
/// [`Sources::only`](super::Sources::only) makes a loader use it, and [`Chain`](super::Chain) combines
/// several.
///
/// The modules of a tenant in a database:
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::{Arc, Mutex, PoisonError};
/// use converge_core::Registry;
/// use converge_core::load::{Loader, ModuleSource, Reading, SourceError, Sources};
///
/// /// The table of modules, in the place of a connection.
/// #[derive(Debug, Default)]
/// struct Table(Mutex<BTreeMap<(u64, String), String>>);
///
/// impl Table {
///     /// `SELECT text FROM modules WHERE tenant = ? AND name = ? AND length(text) <= ?`
///     fn select(&self, tenant: u64, name: &str, most: u64) -> Option<String> {
///         let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///         rows.get(&(tenant, name.to_owned())).filter(|text| text.len() as u64 <= most).cloned()
///     }
/// }
///
/// /// What one tenant wrote: no name leads to a row of another.
/// #[derive(Debug)]
/// struct ModulesOf {
///     tenant: u64,
///     table: Arc<Table>,
/// }
///
/// impl ModuleSource for ModulesOf {
///     fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
///         let reason = || "there is no such module, or it is too long".to_owned();
///         let missing = || SourceError::Unreadable { name: name.to_owned(), reason: reason() };
///         let text = self.table.select(self.tenant, name, reading.most());
///         text.map(Arc::from).ok_or_else(missing)
///     }
/// }
///
/// let table = Arc::new(Table::default());
/// let insert = |tenant, name: &str, text: &str| {
///     let row = ((tenant, name.to_owned()), text.to_owned());
///     table.0.lock().unwrap_or_else(PoisonError::into_inner).extend([row]);
/// };
/// insert(1, "site/main.hcl", "module \"../web.hcl\" \"web\" {}");
/// insert(1, "web.hcl", "param \"port\" { default = 80 }");
///
/// let registry = Registry::new();
/// let load = |tenant| {
///     let sources = Sources::only(ModulesOf { tenant, table: Arc::clone(&table) });
///     Loader::new(&registry).with_sources(sources).load("site/main.hcl").into_graph()
/// };
/// assert!(load(1)?.find("root/module.web/param.port").is_some());
/// assert!(load(2).is_err());
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of modules",
    label = "the trait `ModuleSource` is not implemented",
    note = "for text in memory write `Memory::new().with(\"main.hcl\", text)`, for a folder `ModulesBelow::open(..)`, or implement the trait"
)]
pub trait ModuleSource: fmt::Debug + Send + Sync {
    /// Resolves `written` in the module `base`, or in a module loaded from text if there is none.
    ///
    /// The result is the name for [`read`](Self::read) and for messages. Two modules are the same if their
    /// names are equal.
    ///
    /// By default it is a path with slashes, relative to the folder of `base`.
    ///
    /// # Errors
    ///
    /// Fails if it names nothing that may be loaded: an absolute path, a URL, or a path that leads above the
    /// top folder.
    fn resolve(&self, base: Option<&str>, reference: &str) -> Result<String, SourceError> {
        relative(base, reference).ok_or_else(|| SourceError::Outside { written: reference.to_owned() })
    }

    /// Reads the text of a module; the load calls it once per name and waits for it.
    ///
    /// A text that exceeds `reading` is refused in any case. An implementation that knows the length should
    /// refuse it before it is in memory.
    ///
    /// # Errors
    ///
    /// Fails with [`SourceError::Unreadable`] and a reason if the module is missing or cannot be read.
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError>;

    /// Returns whether a file exists, for `fileexists`.
    ///
    /// By default this fails with an error that the source does not support the check.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot tell, or if the name belongs to something else, such as a folder.
    fn exists(&self, name: &str, _: &Reading) -> Result<bool, SourceError> {
        Err(SourceError::NotTold { name: name.to_owned() })
    }

    /// Lists the folder `written` relative to the module `base`, for `fileset`.
    ///
    /// The result has the readable files and the folders, but no links to folders. By default this fails with
    /// an error that the source does not support listing.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot tell, if there is no such folder, or if nothing may be loaded from there.
    fn list(
        &self,
        base: Option<&str>,
        reference: &str,
        _: &Reading,
    ) -> Result<Vec<FolderEntry>, SourceError> {
        let name = relative_folder(base, reference);
        Err(SourceError::NotTold { name: name.unwrap_or_else(|| reference.to_owned()) })
    }
}

/// Resolves a path relative to the folder of `base`.
///
/// Returns `None` if it leads outside of the top folder, or is the top folder.
pub(super) fn relative(base: Option<&str>, reference: &str) -> Option<String> {
    relative_folder(base, reference).filter(|path| !path.is_empty())
}

/// Resolves a folder relative to the folder of `base`; the top folder is empty.
pub(super) fn relative_folder(base: Option<&str>, reference: &str) -> Option<String> {
    if reference.starts_with('/') || reference.contains("://") || reference.contains('\0') {
        return None;
    }
    let folder = base.and_then(|base| base.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(reference.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Modules in memory, by name; `/` separates folders in names and in what modules write.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::{Loader, Memory, Sources};
///
/// let modules = Memory::new()
///     .with("site/main.hcl", "module \"../web.hcl\" \"web\" {}")
///     .with("web.hcl", "param \"port\" { default = 80 }");
/// let registry = Registry::new();
/// let graph = Loader::new(&registry).with_sources(Sources::only(modules)).load("site/main.hcl").into_graph()?;
/// assert!(graph.find("root/module.web/param.port").is_some());
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
#[derive(Clone, Default)]
pub struct Memory {
    modules: BTreeMap<String, Arc<str>>,
}

impl Memory {
    /// Creates an empty source.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a module, replacing one of the same name.
    pub fn with(mut self, name: impl Into<String>, text: impl Into<Text>) -> Self {
        self.modules.insert(name.into(), text.into().into());
        self
    }
}

/// Collects modules; of two with the same name the later one counts.
///
/// ```
/// use std::collections::HashMap;
/// use converge_core::load::Memory;
///
/// let kept = HashMap::from([("web.hcl".to_owned(), "param \"port\" { default = 80 }".to_owned())]);
/// let modules: Memory = kept.iter().collect();
/// ```
impl<N: Into<String>, T: Into<Text>> FromIterator<(N, T)> for Memory {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(modules: I) -> Self {
        let mut memory = Self::new();
        memory.extend(modules);
        memory
    }
}

impl<N: Into<String>, T: Into<Text>> Extend<(N, T)> for Memory {
    fn extend<I: IntoIterator<Item = (N, T)>>(&mut self, modules: I) {
        self.modules.extend(modules.into_iter().map(|(name, text)| (name.into(), text.into().into())));
    }
}

/// Leaves out the texts because they may contain secrets.
impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.modules.keys()).finish()
    }
}

impl ModuleSource for Memory {
    fn read(&self, name: &str, _: &Reading) -> Result<Arc<str>, SourceError> {
        let missing = || SourceError::Unreadable {
            name: name.to_owned(),
            reason: "there is no such module".to_owned(),
        };
        self.modules.get(name).cloned().ok_or_else(missing)
    }

    fn exists(&self, name: &str, _: &Reading) -> Result<bool, SourceError> {
        let names = self.modules.keys().map(String::as_str);
        listing::exists_in_paths(names, name, self.modules.contains_key(name))
    }

    fn list(
        &self,
        base: Option<&str>,
        reference: &str,
        _: &Reading,
    ) -> Result<Vec<FolderEntry>, SourceError> {
        let outside = || SourceError::Outside { written: reference.to_owned() };
        let folder = relative_folder(base, reference).ok_or_else(outside)?;
        listing::list_paths(self.modules.keys().map(String::as_str), &folder)
    }
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn names_stay_below_the_first_folder() {
        let check = |base: Option<&str>, written: &str, expect: Option<&str>| {
            assert_eq!(relative(base, written).as_deref(), expect, "{written} in {base:?}");
        };
        check(None, "web.hcl", Some("web.hcl"));
        check(None, "./a//b.hcl", Some("a/b.hcl"));
        check(Some("main.hcl"), "web.hcl", Some("web.hcl"));
        check(Some("site/main.hcl"), "web.hcl", Some("site/web.hcl"));
        check(Some("site/main.hcl"), "../web.hcl", Some("web.hcl"));
        check(Some("site/main.hcl"), "../../web.hcl", None);
        check(None, "a/../../site/web.hcl", None);
        check(Some("site/main.hcl"), "/etc/passwd", None);
        check(Some("site/main.hcl"), "file:///etc/passwd", None);
        check(None, "http://example.com/a.hcl", None);
        check(None, "a\0b", None);
        check(None, ".", None);
    }
}
