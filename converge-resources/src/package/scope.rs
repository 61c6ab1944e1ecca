//! What a resource of packages is about: packages by name, a file, or all that are installed.

use converge_core::prelude::*;
use converge_core::value::FieldError;

use super::names::invalid;

/// Which of the fields are written, for the rules between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) named: bool,
    /// Whether one of the names has a version.
    pub(super) versions: bool,
    pub(super) file: bool,
    pub(super) upgrade_all: bool,
    pub(super) autoremove: bool,
    pub(super) latest: bool,
    pub(super) state: Ensure,
}

impl Scope {
    pub(super) fn validate(self) -> Result<(), Vec<FieldError>> {
        let Self { named, versions, file, upgrade_all, autoremove, latest, state } = self;
        if !(named || file || upgrade_all || autoremove) {
            let message = "it is missing: name a package, or write `file`, `upgrade_all` or `autoremove`";
            return Err(invalid("name", message));
        }
        if upgrade_all && (named || file) {
            let message = "it is about all packages: write a resource of its own for those that are named";
            return Err(invalid("upgrade_all", message));
        }
        if latest && (!named || versions) {
            let message = "it is about packages that `name` names without a version";
            return Err(invalid("latest", message));
        }
        if autoremove && (named || file) && state == Ensure::Present {
            let message = "it stands alone, or goes with `state = \"absent\"` or `upgrade_all`: what is to be there is not removed";
            return Err(invalid("autoremove", message));
        }
        if state == Ensure::Absent {
            if versions {
                let message = "a package that is absent has no version: leave it away to remove any version";
                return Err(invalid("state", message));
            }
            if latest || upgrade_all {
                let field = if latest { "latest" } else { "upgrade_all" };
                return Err(invalid(field, "what is to be absent is not upgraded"));
            }
            if !(named || file) {
                return Err(invalid("state", "nothing is named that could be absent"));
            }
        }
        Ok(())
    }
}

/// Refuses what is no option: a word without a dash would be a package.
pub(super) fn validate_options(field: &str, options: &[String]) -> Result<(), Vec<FieldError>> {
    let fits = |option: &&String| {
        let word = option.trim_start_matches('-');
        let dashes = option.len() - word.len();
        (dashes == 1 || dashes == 2)
            && word.starts_with(|first: char| first.is_ascii_alphanumeric())
            && !option.contains(|c: char| c.is_control())
    };
    match options.iter().find(|option| !fits(option)) {
        None => Ok(()),
        Some(other) => Err(invalid(
            field,
            &format!(
                "{other:?} is no option, which begins with a dash: write a value as in \"--name=value\""
            ),
        )),
    }
}
