//! `user.query`: whether a user is there, and what is known of it.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Query;

/// Says whether a user is there, and what the machine knows of it. It never has changes.
///
/// What it finds is looked up by others: `user.query.it.exists`, `user.query.it.home`. That there is no such user is no error. It looks
/// whenever it is checked, in a plan too; where something that is about to change may change what it finds, what it exports is
/// known after the apply.
///
/// # Caveats
///
/// Users are looked up as programs do it, also those of a directory on the network. Whether a password is locked is written where only root
/// can read it, and is not asked.
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
