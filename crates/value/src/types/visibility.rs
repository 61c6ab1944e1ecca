//! Visibility of the machine and of this process in modules.

use std::collections::BTreeSet;

/// The facts about the machine and this process that modules can see.
///
/// `Loader::with_visible` sets the visibility. It concerns the text of
/// modules; the view of a resource depends on its `System`.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::{Loader, Visible};
///
/// let registry = Registry::new();
/// let loader = Loader::new(&registry).with_visible(Visible::nothing().env("REGION"));
/// let error = loader.load_text("tenant.hcl", "param \"here\" { default = path.cwd }").into_graph().unwrap_err();
/// assert!(error.to_string().contains("`path.cwd` has no value: it is not shown to tenant.hcl"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// The visible environment variables; `None` means all.
    env: Option<BTreeSet<String>>,
    platform: bool,
    working_dir: bool,
}

impl Default for Visible {
    /// Returns a visibility that shows everything.
    fn default() -> Self {
        Self { env: None, platform: true, working_dir: true }
    }
}

impl Visible {
    /// Hides everything: variables are unset, fields of `platform` are empty, and `path.cwd` is an error.
    pub fn nothing() -> Self {
        Self { env: Some(BTreeSet::new()), platform: false, working_dir: false }
    }

    /// Shows an environment variable with its value in the `System`.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>) -> Self {
        self.env.get_or_insert_default().insert(name.into());
        self
    }

    /// Shows `platform` with the facts of the `System`.
    #[must_use]
    pub fn platform(mut self) -> Self {
        self.platform = true;
        self
    }

    /// Shows `path.cwd`, the working directory of this process.
    #[must_use]
    pub fn working_dir(mut self) -> Self {
        self.working_dir = true;
        self
    }

    #[doc(hidden)]
    pub fn shows_env(&self, name: &str) -> bool {
        self.env.as_ref().is_none_or(|names| names.contains(name))
    }

    #[doc(hidden)]
    pub fn shows_platform(&self) -> bool {
        self.platform
    }

    #[doc(hidden)]
    pub fn shows_working_dir(&self) -> bool {
        self.working_dir
    }
}
