//! The `system.alternative` resource: the choice among several programs with one name.

mod group;
#[cfg(test)]
mod model;
mod name;
mod task;
#[cfg(test)]
mod tests;
mod tool;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};
use indexmap::IndexMap;

pub use task::Alternative;

use name::AlternativeName;
use task::Slave;

/// Ensures that a name such as `editor` or `java` leads to one of several programs.
///
/// The resource uses `update-alternatives` on Debian and related distributions, and `alternatives` on Fedora,
/// Red Hat and related ones. With `path` alone, that alternative is used from now on, whatever the priorities
/// are. With `auto`, the one with the highest priority is used. With `link`, the alternative is registered
/// first.
///
/// # Guarantees
///
/// A path that is not an alternative of the name is an error that lists the existing ones, unless `link` says
/// how to register it. Other alternatives of the name stay as they are. The links themselves are compared,
/// not only what is registered: a missing or wrong link is made again, and a file in its place is an error.
///
/// # Caveats
///
/// `alternatives` does not report the links of a name. A `link` that differs from the present one is
/// therefore noticed only on Debian and related distributions. An alternative that belongs to a package
/// returns with the package.
#[derive(Debug, Preparer)]
#[preparer(name = "system.alternative", task = Alternative, validate, footprint, lock = "alternatives", example = "example.hcl")]
pub struct AlternativePreparer {
    /// Name of the group of alternatives: `editor`.
    #[hcl(required, nonempty)]
    name: AlternativeName,
    /// Path of the alternative. It is optional only with `auto`.
    #[hcl(nonempty, pattern = "^/", expects = "an absolute path")]
    path: Option<String>,
    /// The path that programs use, such as `/usr/bin/editor`.
    ///
    /// With it, `path` is registered as an alternative.
    #[hcl(nonempty, pattern = "^/", expects = "an absolute path")]
    link: Option<String>,
    /// The priority, which needs `link`.
    ///
    /// The default is 50 for a new alternative, and the present one otherwise.
    priority: Option<i32>,
    /// The slaves of the alternative by name, which need `link`; without this field they stay as they are.
    ///
    /// The alternative has no others, so an empty map removes them.
    ///
    /// An example is `{ "editor.1.gz" = { link = "/usr/share/man/man1/editor.1.gz", path =
    /// "/usr/share/man/man1/vim.1.gz" } }`.
    slaves: Option<IndexMap<String, IndexMap<String, String>>>,
    /// Whether the alternative with the highest priority is used.
    #[hcl(default)]
    auto: bool,
    /// Whether the path is to be an alternative.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

fn invalid(field: &'static str, message: impl Into<String>) -> Vec<FieldError> {
    vec![FieldError::new(field, FieldErrorKind::Invalid { message: message.into() })]
}

impl AlternativePreparer {
    fn slaves(&self) -> Result<Option<Vec<Slave>>, Vec<FieldError>> {
        let Some(declared) = &self.slaves else { return Ok(None) };
        let mut slaves = Vec::with_capacity(declared.len());
        for (name, parts) in declared {
            let alternative_name =
                name.parse::<AlternativeName>().map_err(|reason| invalid("slaves", reason))?;
            let part = |part: &str| {
                let path = parts.get(part).filter(|path| path.starts_with('/')).cloned();
                path.ok_or_else(|| invalid("slaves", format!("{name:?} has no `{part}`, an absolute path")))
            };
            let (link, path) = (part("link")?, part("path")?);
            if let Some(other) = parts.keys().find(|part| *part != "link" && *part != "path") {
                return Err(invalid(
                    "slaves",
                    format!("{name:?} has {other:?}: it has `link` and `path` alone"),
                ));
            }
            slaves.push(Slave { name: alternative_name.to_string(), link, path });
        }
        Ok(Some(slaves))
    }
}

impl Validate for AlternativePreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.slaves()?;
        if self.path.is_none() && (!self.auto || !self.state.is_present()) {
            return Err(invalid("path", "it is required, unless `auto` is true"));
        }
        if self.link.is_some() && self.path.is_none() {
            return Err(invalid("path", "it is required, as `link` is given"));
        }
        if self.link.is_none() && (self.priority.is_some() || self.slaves.is_some()) {
            return Err(invalid("link", "it is required, as `priority` or `slaves` is given"));
        }
        if !self.state.is_present() && (self.auto || self.link.is_some()) {
            return Err(invalid("state", "\"absent\" removes `path`: leave out `auto` and `link`"));
        }
        Ok(())
    }
}

impl HasFootprint for AlternativePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        match (&self.path, self.state.is_present()) {
            (Some(path), false) => footprint.manages("alternative", &format!("{path} of {}", self.name)),
            _ => footprint.manages("alternatives", &self.name.to_string()),
        }
        if let Some(path) = &self.path {
            footprint.needs(kind::PATH, path);
        }
    }
}

impl Resource for AlternativePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Alternative> {
        let slaves = self.slaves().unwrap_or_default();
        let Self { name, path, link, priority, auto, state, .. } = self;
        Ok(Alternative { name, path, link, auto, state, priority, slaves, steps: Vec::new() })
    }
}
