//! The `user.sudoers` resource: a file of rules for sudo.

mod subjects;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Sudoers;

/// Ensures that `/etc/sudoers.d` has a file with these rules, or that it has no file of this name.
///
/// `visudo -c` checks the rules in a directory that only root can read, also in a plan. Refused rules are not
/// written, because one error can disable sudo for everybody. The file belongs to root and has the mode
/// `0440`.
///
/// # Guarantees
///
/// The file is replaced as a whole: sudo reads the old rules or the new ones. It is written after the users
/// and groups of the module that its rules name.
///
/// # Caveats
///
/// `visudo` checks this text alone: an alias that another file also defines is not noticed. The resource does
/// not check that `/etc/sudoers` includes the directory; by default it does. It needs root.
#[derive(Debug, Preparer)]
#[preparer(name = "user.sudoers", task = Sudoers, validate, footprint, example = "example.hcl")]
pub struct SudoersPreparer {
    /// Name of the file. sudo ignores names with a dot and names that end with `~`, so these are refused.
    #[hcl(
        required,
        nonempty,
        pattern = "^[A-Za-z0-9_][A-Za-z0-9_-]*$",
        expects = "a name of a file of rules: letters, digits, _ and -, and no dot"
    )]
    name: String,
    /// The rules. A missing line break at the end is added.
    #[hcl(required_if = "state=present")]
    content: Option<String>,
    /// Whether the file is to be present.
    #[hcl(default)]
    state: Ensure,
}

impl SudoersPreparer {
    fn path(&self) -> String {
        format!("/etc/sudoers.d/{}", self.name)
    }
}

impl HasFootprint for SudoersPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        for aspect in [aspect::EXISTENCE, aspect::CONTENT] {
            footprint.claims.push(Claim {
                verb: Verb::Ensures,
                thing: Thing::new(kind::PATH, &self.path()),
                aspect: Some(aspect),
                field: Some("name"),
                state: None,
            });
        }
        if self.state.is_present() {
            let content = self.content.as_deref().unwrap_or_default();
            subjects::for_each(content, |kind, name| footprint.needs(kind, name));
        }
    }
}

impl Validate for SudoersPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        if self.content.as_ref().is_some_and(|content| content.contains('\0')) {
            let message = "it is not text: there is a zero byte in it".to_owned();
            return Err(vec![FieldError::new("content", FieldErrorKind::Invalid { message })]);
        }
        Ok(())
    }
}

impl Resource for SudoersPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Sudoers> {
        let path = self.path();
        let mut content = self.content.unwrap_or_default();
        if !content.is_empty() && !content.ends_with('\n') {
            content.push('\n');
        }
        Ok(Sudoers { name: self.name, path, state: self.state, content })
    }
}
