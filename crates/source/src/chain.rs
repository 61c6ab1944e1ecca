//! A combination of several sources.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::SourceError;
use super::listing::Listing;
use super::module_source::{ModuleSource, relative, relative_folder};
use super::read_limits::Reading;
use crate::types::folder_entry::FolderEntry;

/// Several sources in one tree, each responsible for the names below its own folder.
///
/// One source may be responsible for all other names. A source gets the name without the folder. The longest
/// matching folder decides, so a name has exactly one source. A module that is missing in that source is not
/// taken from another one.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::{Chain, Loader, Memory, Sources};
///
/// let library = Memory::new().with("web.hcl", "param \"port\" { default = 80 }");
/// let tenant = Memory::new().with("main.hcl", "module \"lib/web.hcl\" \"web\" {}");
/// let sources = Sources::only(Chain::new().at("lib", library).otherwise(tenant));
///
/// let registry = Registry::new();
/// let graph = Loader::new(&registry).with_sources(sources).load("main.hcl").into_graph()?;
/// assert!(graph.find("root/module.web/param.port").is_some());
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The sources by folder; the folder is empty for all other names.
    sources: BTreeMap<String, Arc<dyn ModuleSource>>,
}

impl Chain {
    /// Creates a chain without sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes names below this folder (`lib`, `lib/net`) from a source, instead of any previous source.
    ///
    /// The folder is written as in a module. `.` and slashes at its ends are ignored, and no name is below a
    /// folder with `..`.
    pub fn at(mut self, folder: &str, source: impl ModuleSource + 'static) -> Self {
        let parts: Vec<&str> = folder.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        self.sources.insert(parts.join("/"), Arc::new(source));
        self
    }

    /// Takes all names that are below none of the folders from a source.
    pub fn otherwise(self, source: impl ModuleSource + 'static) -> Self {
        self.at("", source)
    }

    /// Returns the source of a name, its folder, and the name relative to the folder.
    fn find<'a>(&'a self, name: &'a str) -> Option<(&'a dyn ModuleSource, &'a str, &'a str)> {
        let folders = name.rmatch_indices('/').map(|(slash, _)| (&name[..slash], &name[slash + 1..]));
        let mut places = folders.chain([("", name)]);
        places.find_map(|(folder, rest)| Some((&**self.sources.get(folder)?, folder, rest)))
    }
}

impl ModuleSource for Chain {
    fn resolve(&self, base: Option<&str>, reference: &str) -> Result<String, SourceError> {
        let outside = || SourceError::Outside { written: reference.to_owned() };
        let path = relative(base, reference).ok_or_else(outside)?;
        let (source, folder, rest) = self.find(&path).ok_or_else(outside)?;
        let name = source.resolve(None, rest).map_err(|error| error.about(reference))?;
        Ok(if folder.is_empty() { name } else { format!("{folder}/{name}") })
    }

    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let outside = || SourceError::Outside { written: name.to_owned() };
        let (source, _, rest) = self.find(name).ok_or_else(outside)?;
        source.read(rest, reading).map_err(|error| error.about(name))
    }

    fn exists(&self, name: &str, reading: &Reading) -> Result<bool, SourceError> {
        let outside = || SourceError::Outside { written: name.to_owned() };
        let (source, _, rest) = self.find(name).ok_or_else(outside)?;
        source.exists(rest, reading).map_err(|error| error.about(name))
    }

    /// Lists a folder in its source, together with the folders of other sources inside it.
    ///
    /// A folder of another source replaces an entry of the same name.
    fn list(
        &self,
        base: Option<&str>,
        written: &str,
        reading: &Reading,
    ) -> Result<Vec<FolderEntry>, SourceError> {
        let outside = || SourceError::Outside { written: written.to_owned() };
        let path = relative_folder(base, written).ok_or_else(outside)?;
        let mut listing = Listing::new(written);
        for folder in self.sources.keys().filter(|folder| !folder.is_empty()) {
            let relative_path = if path.is_empty() { Some(&**folder) } else { below(&path, folder) };
            if let Some(name) = relative_path.and_then(|relative_path| relative_path.split('/').next()) {
                listing.add(FolderEntry::folder(name))?;
            }
        }
        let of_itself = self.sources.get(&path).map(|source| (&**source, ""));
        let source = of_itself.or_else(|| self.find(&path).map(|(source, _, rest)| (source, rest)));
        match source
            .map(|(source, rest)| source.list(None, if rest.is_empty() { "." } else { rest }, reading))
        {
            Some(Ok(entries)) => entries.into_iter().try_for_each(|entry| listing.add(entry))?,
            // The folder exists because other sources have folders in it.
            None | Some(Err(SourceError::Unreadable { .. })) if !listing.is_empty() => {}
            Some(Err(error)) => return Err(error.about(written)),
            None => return Err(outside()),
        }
        Ok(listing.into_entries())
    }
}

/// Returns the part of a path below a folder.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::Chain;
    use crate::{Memory, ModuleSource as _, Reading};

    fn chain() -> Chain {
        let site =
            Memory::new().with("main.hcl", "site").with("lib/web.hcl", "hidden").with("library.hcl", "site");
        let lib = Memory::new().with("web.hcl", "lib").with("a/web.hcl", "lib/a");
        let net = Memory::new().with("dns.hcl", "lib/net");
        Chain::new().at("/lib/net/", net).at("./lib", lib).otherwise(site)
    }

    /// Returns the text of a source written in a module, or the error.
    fn text(chain: &Chain, base: Option<&str>, reference: &str) -> String {
        let name = chain.resolve(base, reference);
        let text = name.and_then(|name| chain.read(&name, &Reading::default()));
        text.map_or_else(|error| error.to_string(), |text| text.to_string())
    }

    #[test]
    fn the_longest_folder_decides() {
        let chain = chain();
        let check = |base: Option<&str>, written: &str, expect: &str| {
            assert_eq!(text(&chain, base, written), expect, "{written} in {base:?}");
        };
        check(None, "main.hcl", "site");
        check(None, "library.hcl", "site");
        check(None, "lib/web.hcl", "lib");
        check(None, "lib/net/dns.hcl", "lib/net");
        check(Some("lib/a/web.hcl"), "../web.hcl", "lib");
        check(Some("lib/a/web.hcl"), "../net/dns.hcl", "lib/net");
        check(Some("lib/net/dns.hcl"), "../../main.hcl", "site");
        check(Some("main.hcl"), "lib/../main.hcl", "site");
    }

    /// A missing module is not taken from another source, and messages contain the whole name.
    #[test]
    fn a_name_has_one_source() {
        let chain = chain();
        let missing = |name: &str| format!("cannot read {name}: there is no such module");
        assert_eq!(text(&chain, None, "lib/main.hcl"), missing("lib/main.hcl"));
        assert_eq!(text(&chain, None, "lib/net/web.hcl"), missing("lib/net/web.hcl"));
        assert_eq!(text(&chain, None, "lib"), missing("lib"));
        for reference in ["../main.hcl", "lib/../../main.hcl", "/lib/web.hcl", "http://lib/web.hcl"] {
            let expect = format!("`{reference}` is outside of what may be loaded here");
            assert_eq!(text(&chain, Some("main.hcl"), reference), expect);
        }
        let partial_chain = Chain::new().at("lib", Memory::new());
        assert_eq!(
            text(&partial_chain, None, "main.hcl"),
            "`main.hcl` is outside of what may be loaded here"
        );
        assert_eq!(
            text(&Chain::new().at("..", Memory::new()), None, "../a"),
            "`../a` is outside of what may be loaded here"
        );
    }

    /// A chain may contain another chain.
    #[test]
    fn errors_of_sources_within_have_the_whole_name() {
        let inner = Chain::new().at("b", Memory::new());
        let chain = Chain::new().at("a", inner);
        assert_eq!(text(&chain, None, "a/c.hcl"), "`a/c.hcl` is outside of what may be loaded here");
        assert_eq!(text(&chain, None, "a/b/none.hcl"), "cannot read a/b/none.hcl: there is no such module");
    }
}
