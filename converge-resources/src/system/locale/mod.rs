//! `system.locale`: languages of the machine.

mod edit;
#[cfg(test)]
mod model;
mod name;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind, OneOrMany};
use indexmap::IndexMap;

pub use task::Locale;

use name::LocaleName;

/// What programs look at, beside `LANG`.
const CATEGORIES: [&str; 13] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
    "LC_ALL",
];

/// Sees to it that the machine has locales, and which of them programs use by default.
///
/// A locale is made by its line in `/etc/locale.gen` and by `locale-gen`. Where there is no `locale-gen`, as on Fedora and Red Hat, a locale has to
/// be there: packages such as `glibc-langpack-de` bring them. The default is written to `/etc/locale.conf`, and on Debian and its relatives to
/// `/etc/default/locale`.
///
/// # Guarantees
///
/// All other lines of these files stay as they are, byte for byte. A locale that the machine cannot make is an error, and so is a default that it does
/// not have, before anything is changed.
///
/// # Caveats
///
/// What runs keeps its locale; a new login has the new one. Where a locale is to be absent, `locale-gen` makes all others again. The locales `C`, `POSIX` and
/// `C.UTF-8` are part of the C library: they are not made, and cannot be absent.
#[derive(Debug, Preparer)]
#[preparer(name = "system.locale", task = Locale, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct LocalePreparer {
    /// The locale, or a list of locales: `"de_DE.UTF-8"`.
    #[hcl(nonempty, alias = "names")]
    name: Option<OneOrMany<LocaleName>>,
    /// The locale that programs use by default (`LANG`). It stays as it is when nothing is given.
    lang: Option<LocaleName>,
    /// Locales for parts of what programs do, by the name of the variable: `{ LC_TIME = "en_GB.UTF-8" }`. Variables that are not said stay as they
    /// are.
    #[hcl(default)]
    categories: IndexMap<String, LocaleName>,
    /// Whether the locales of `name` are to be there.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for LocalePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |field: &'static str, message: String| {
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message })])
        };
        let default = self.lang.iter().chain(self.categories.values());
        if let Some(name) = self.categories.keys().find(|name| !CATEGORIES.contains(&name.as_str())) {
            return wrong(
                "categories",
                format!("there is no {name:?}: it is one of {}", CATEGORIES.join(", ")),
            );
        }
        let names = || self.name.iter().flat_map(OneOrMany::as_slice);
        if self.state.is_present() {
            if self.name.is_none() && default.count() == 0 {
                return wrong("name", "it is required, unless `lang` or `categories` is given".to_owned());
            }
            return Ok(());
        }
        if let Some(kept) = names().find(|name| name.is_built_in()) {
            return wrong("name", format!("{kept} is part of the C library, and cannot be absent"));
        }
        if self.name.is_none() {
            return wrong("name", "it is required, as `state` is \"absent\"".to_owned());
        }
        match default.count() {
            0 => Ok(()),
            _ => wrong(
                "state",
                "\"absent\" is about `name` alone: leave out `lang` and `categories`".to_owned(),
            ),
        }
    }
}

impl HasFootprint for LocalePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        for name in self.name.iter().flat_map(OneOrMany::as_slice) {
            footprint.manages("locale", &name.to_string());
        }
        let lang = self.lang.iter().map(|_| "LANG");
        for variable in lang.chain(self.categories.keys().map(String::as_str)) {
            footprint.manages("default of locales", variable);
        }
        for path in [task::MADE, task::DEBIAN, task::CONF] {
            footprint.touches(kind::PATH, path);
        }
    }
}

impl Resource for LocalePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Locale> {
        let Self { name, lang, categories, state } = self;
        let names: Vec<LocaleName> = name.iter().flat_map(OneOrMany::as_slice).cloned().collect();
        let first = lang.clone().map(|lang| ("LANG".to_owned(), lang));
        let defaults = first.into_iter().chain(categories).collect();
        Ok(Locale { name: names, lang, state, defaults, steps: Vec::new() })
    }
}
