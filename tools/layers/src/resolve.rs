//! The resolution of paths to modules.

use crate::mention::Use;
use crate::parse::{ModulePath, Modules};

/// The maximum length of a chain of re-exports, which stops at cycles.
const LONGEST_CHAIN: u32 = 16;

impl Modules {
    /// Returns the module to which `segments` in `from` lead, or `None` if they leave the crate.
    ///
    /// A re-export of a module that is neither `from` nor one of its ancestors belongs to that module.
    pub(crate) fn resolve(&self, from: &ModulePath, segments: &[String]) -> Option<ModulePath> {
        self.follow(from, from, segments, LONGEST_CHAIN)
    }

    /// Resolves a path in `base` on behalf of `importer`.
    fn follow(
        &self,
        importer: &ModulePath,
        base: &ModulePath,
        segments: &[String],
        left: u32,
    ) -> Option<ModulePath> {
        let left = left.checked_sub(1)?;
        let (mut module_path, mut rest) = self.begin(base, segments)?;
        while let Some((name, behind)) = rest.split_first() {
            let module = self.by_path.get(&module_path)?;
            if name == "super" {
                module_path.pop()?;
            } else if module.children.contains(name) {
                module_path.push(name.clone());
            } else if module_path.is_empty() && self.macros.contains_key(name) && !module.items.contains(name)
            {
                return self.macros.get(name).cloned();
            } else if !module_path.is_empty() && module.home.is_empty() && self.passes_on(&module_path) {
                return None;
            } else if !importer.starts_with(&module_path) || module.items.contains(name) {
                return Some(module_path);
            } else if let Some(import) =
                module.mentions.uses.iter().find(|import| import.name.as_ref() == Some(name))
            {
                let segments: Vec<String> = import.segments.iter().chain(behind).cloned().collect();
                let origin = self.follow(importer, &module_path, &segments, left);
                // A name from another crate is attributed to the module that imports it, but the root of a
                // crate only passes such names on.
                return if module.home.is_empty() { origin } else { origin.or(Some(module_path)) };
            } else {
                let glob = |found: &&Use| found.is_glob;
                let origin = module.mentions.uses.iter().filter(glob).find_map(|glob| {
                    let origin = self.follow(importer, &module_path, &glob.segments, left)?;
                    self.defines(&origin, name).then_some(origin)
                });
                let is_foreign = |glob: &Use| self.begin(&module_path, &glob.segments).is_none();
                let passes_on =
                    module.home.is_empty() && module.mentions.uses.iter().filter(glob).any(is_foreign);
                return if passes_on { origin } else { origin.or(Some(module_path)) };
            }
            rest = behind;
        }
        Some(module_path)
    }

    /// Whether a module re-exports everything of another crate.
    fn passes_on(&self, path: &ModulePath) -> bool {
        let is_foreign = |import: &Use| import.is_glob && self.begin(path, &import.segments).is_none();
        self.by_path.get(path).is_some_and(|module| module.mentions.uses.iter().any(is_foreign))
    }

    /// Returns the module at which a path begins, and the remaining segments.
    fn begin<'a>(&self, base: &ModulePath, segments: &'a [String]) -> Option<(ModulePath, &'a [String])> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => Some((Vec::new(), rest)),
            "self" => Some((base.clone(), rest)),
            "super" => Some((base.clone(), segments)),
            name if self.by_path.get(base)?.children.contains(name) => Some((base.clone(), segments)),
            name if name == self.crate_name => Some((Vec::new(), rest)),
            _ => None,
        }
    }

    /// Whether other modules can import `name` from a module.
    pub(crate) fn defines(&self, path: &ModulePath, name: &str) -> bool {
        self.by_path.get(path).is_some_and(|module| {
            module.items.contains(name)
                || module.children.contains(name)
                || module
                    .mentions
                    .uses
                    .iter()
                    .any(|import| import.is_public && import.name.as_deref() == Some(name))
        })
    }
}
