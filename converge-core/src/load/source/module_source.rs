//! Modules from wherever an application keeps them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::error::SourceError;
use super::reading::Reading;

/// A place that modules come from: a database, an archive, memory. [`Sources::only`](super::Sources::only) makes a
/// loader use it.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::Registry;
/// use converge_core::load::{Loader, ModuleSource, Reading, SourceError, Sources};
///
/// /// One module, whatever it is called.
/// #[derive(Debug)]
/// struct Same;
///
/// impl ModuleSource for Same {
///     fn read(&self, _name: &str, _reading: &Reading) -> Result<Arc<str>, SourceError> {
///         Ok("param \"who\" { default = 1 }".into())
///     }
/// }
///
/// let registry = Registry::new();
/// let loader = Loader::new(&registry).with_sources(Sources::only(Same));
/// let graph = loader.load_text("site.hcl", "module \"web.hcl\" \"web\" {}").into_graph()?;
/// assert!(graph.find("root/module.web/param.who").is_some());
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
pub trait ModuleSource: fmt::Debug + Send + Sync {
    /// The name of the module that `written` means in the module `base`, or in what is loaded as text where there is none.
    /// It is what messages show and what [`read`](Self::read) gets, and two modules are one when their names are the same.
    ///
    /// Without another meaning it is a path with slashes, relative to the folder of `base`.
    ///
    /// # Errors
    ///
    /// When it names nothing that may be loaded: an absolute path, a URL, or a path that leads above the first folder.
    fn resolve(&self, base: Option<&str>, written: &str) -> Result<String, SourceError> {
        relative(base, written).ok_or_else(|| SourceError::Outside { written: written.to_owned() })
    }

    /// The text of the module of this name. It is called once for each name in a load, which waits for it. More than
    /// `reading` allows is refused in any case; who can tell before it is in memory does so.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read: [`SourceError::Unreadable`] says why.
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError>;
}

/// The path of `written` as seen from the folder of `base`; `None` when it leads out of the first folder.
fn relative(base: Option<&str>, written: &str) -> Option<String> {
    if written.starts_with('/') || written.contains("://") || written.contains('\0') {
        return None;
    }
    let folder = base.and_then(|base| base.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(written.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() { None } else { Some(parts.join("/")) }
}

/// Modules in memory, by name. In a name, as in what modules write, `/` divides folders.
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
    /// No modules yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a module, in the place of the one that had the name.
    pub fn with(mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        self.modules.insert(name.into(), text.into());
        self
    }
}

/// Leaves out the texts: there may be secrets in them.
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
