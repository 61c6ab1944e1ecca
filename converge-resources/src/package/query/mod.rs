//! `package.query`: whether a package is installed, and in which version.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::Query;

/// Says whether a package is installed, and in which version. It never has changes.
///
/// It asks `dpkg-query` where there is one, and otherwise `rpm`, and says which. What it finds is looked up by others:
/// `package.query.it.installed`, `package.query.it.version`. That a package is not installed is no error. It looks whenever it is
/// checked, in a plan too; where something that is about to change may change what it finds, what it exports is known after the
/// apply.
///
/// # Caveats
///
/// One that is installed half counts as not installed, and so does one of which only its configuration is left. The name is that of
/// a package, not of what several provide.
#[derive(Debug, Preparer)]
#[preparer(name = "package.query", task = Query, reads = "named", changes = "named", example = "example.hcl")]
pub struct QueryPreparer {
    /// The package.
    #[hcl(
        required,
        nonempty,
        needs = "package",
        pattern = "^[A-Za-z0-9][A-Za-z0-9._+-]*$",
        expects = "the name of a package, without a version"
    )]
    name: String,
}

impl Resource for QueryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Query> {
        Ok(Query { name: self.name, installed: false, version: None, versions: Vec::new(), database: None })
    }
}
