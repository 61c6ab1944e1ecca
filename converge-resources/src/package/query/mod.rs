//! The `package.query` resource: whether a package is installed, and its version.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::Query;

/// Returns whether a package is installed, and its version. It never has changes.
///
/// The resource queries `dpkg-query` if it exists, and otherwise `rpm`, and says which. Other resources look
/// up the results: `package.query.it.installed`, `package.query.it.version`. A package that is not installed
/// is no error. The query runs in each check, also in a plan. If a pending change may affect the results, the
/// exports are known after the apply.
///
/// # Caveats
///
/// A partly installed package counts as not installed, and so does a removed package whose configuration is
/// left. The name must be that of a package, not of a virtual one.
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
