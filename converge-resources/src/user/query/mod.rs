//! The `user.query` resource: information about a user.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Query;

/// Returns whether a user exists, and information about the user. It never has changes.
///
/// Other resources look up the results: `user.query.it.exists`, `user.query.it.home`. A missing user is no
/// error. The query runs in each check, also in a plan. If a pending change may affect the results, the
/// exports are known after the apply.
///
/// # Caveats
///
/// Users are looked up as programs do it, including those of a network directory. Whether a password is
/// locked is not reported, because only root can read that.
#[derive(Debug, Preparer)]
#[preparer(name = "user.query", task = Query, reads = "named", changes = "named", example = "example.hcl")]
pub struct QueryPreparer {
    /// The login name.
    #[hcl(required, nonempty, needs = "user, group")]
    name: String,
}

impl Resource for QueryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Query> {
        Ok(Query::new(self.name))
    }
}
