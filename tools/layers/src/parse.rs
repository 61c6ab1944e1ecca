//! The parser from source files to modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quote::ToTokens as _;
use syn::{Attribute, Item};

use crate::error::Error;
use crate::mention::{Mentions, is_test_only, text};
use crate::source::Target;

/// The names from the root of a crate to a module; the root is empty.
pub(crate) type ModulePath = Vec<String>;

/// A module of a crate.
#[derive(Debug)]
pub(crate) struct Module {
    /// The file of the module.
    pub(crate) file: PathBuf,
    /// The module to which the file belongs: this module, or an ancestor for `mod name { .. }`.
    pub(crate) home: ModulePath,
    /// The child modules.
    pub(crate) children: BTreeSet<String>,
    /// The names of other items.
    pub(crate) items: BTreeSet<String>,
    pub(crate) mentions: Mentions,
}

/// All modules of a crate.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    /// The name of the crate in paths.
    pub(crate) crate_name: String,
    pub(crate) by_path: BTreeMap<ModulePath, Module>,
    /// The modules of macros that `#[macro_export]` places at the root.
    pub(crate) macros: BTreeMap<String, ModulePath>,
}

impl Modules {
    /// Reads a crate.
    pub(crate) fn read(target: &Target) -> Result<Self, Error> {
        let mut modules = Self { crate_name: target.name.clone(), ..Self::default() };
        let folder = target.root.parent().unwrap_or(Path::new(""));
        modules.add_file(target, &target.root, folder, Vec::new())?;
        Ok(modules)
    }

    /// Reads a file whose child modules are in `folder`.
    fn add_file(
        &mut self,
        target: &Target,
        file: &Path,
        folder: &Path,
        path: ModulePath,
    ) -> Result<(), Error> {
        let source = target.files.get(file).map_or("", String::as_str);
        let parsed = syn::parse_file(source).map_err(|error| Error::Syntax {
            path: file.to_owned(),
            line: error.span().start().line,
            reason: error.to_string(),
        })?;
        let place = Place { target, file, home: &path.clone() };
        self.add_items(&place, folder, path, parsed.items)
    }

    fn add_items(
        &mut self,
        place: &Place<'_>,
        folder: &Path,
        path: ModulePath,
        items: Vec<Item>,
    ) -> Result<(), Error> {
        let mut module = Module {
            file: place.file.to_owned(),
            home: place.home.clone(),
            children: BTreeSet::new(),
            items: BTreeSet::new(),
            mentions: Mentions::default(),
        };
        for item in items {
            if is_test_only(attributes(&item)) {
                continue;
            }
            if let Some(name) = name(&item) {
                module.items.insert(name);
            }
            match item {
                Item::Use(item) => module.mentions.add_use(&item),
                Item::Mod(item) => {
                    let name = text(&item.ident);
                    let child: ModulePath = path.iter().cloned().chain([name.clone()]).collect();
                    let inner = folder.join(&name);
                    if let Some((_, items)) = item.content {
                        self.add_items(place, &inner, child, items)?;
                    } else {
                        let candidates = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
                        let candidate = candidates.iter().find(|file| place.target.files.contains_key(*file));
                        let file = candidate.ok_or_else(|| Error::MissingModule {
                            path: place.file.to_owned(),
                            module: name.clone(),
                        })?;
                        self.add_file(place.target, file, &inner, child)?;
                    }
                    module.children.insert(name);
                }
                Item::Macro(item) => {
                    if let Some(ident) = &item.ident
                        && item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
                    {
                        self.macros.insert(text(ident), path.clone());
                    }
                    module.mentions.add_tokens(item.to_token_stream());
                }
                item => module.mentions.add_tokens(item.to_token_stream()),
            }
        }
        self.by_path.insert(path, module);
        Ok(())
    }
}

/// The location of items.
struct Place<'a> {
    target: &'a Target,
    file: &'a Path,
    home: &'a ModulePath,
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name that an item defines, except for modules and imports.
fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(text(ident))
}
