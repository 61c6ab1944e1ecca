//! `file.query`: what is at a path.

mod found;
mod search;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_core::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use converge_core::prelude::*;

pub use task::Query;

use super::edit::invalid;
use super::glob::Glob;
use converge_core::value::FieldError;

/// Says what is at a path, or which files a pattern finds. It never has changes.
///
/// What it finds is looked up by others: `file.query.it.exists`, `file.query.it.content`, `file.query.it.paths`. That nothing is there is no
/// error. It looks whenever it is checked, in a plan too; where something that is about to change may change what it finds, what it exports is
/// known after the apply.
///
/// # Caveats
///
/// A link at `path` is followed, as by all that reads the file; where it leads to nothing, nothing exists. A pattern follows no link, and what
/// it finds is no more than 10000 paths in at most 1000000. A name that is not UTF-8 is left out, and told. Content that is a secret is
/// told to everybody who can see the plan, unless what looks it up is sensitive.
#[derive(Debug, Preparer)]
#[preparer(name = "file.query", task = Query, validate, footprint, reads = "named", changes = "named", example = "example.hcl")]
pub struct QueryPreparer {
    /// The path.
    #[hcl(required, nonempty, mutually_exclusive = "path,glob", needs = "path")]
    path: Option<String>,
    /// A pattern of paths: `*` is any text in a name, `?` any character, `[a-z]` one of these and `[!a-z]` none of them, `**` any number of
    /// folders. Names that begin with a dot are found only by a pattern that begins with one.
    #[hcl(mutually_exclusive = "path,glob")]
    glob: Option<String>,
    /// What is found by `glob`; without it everything.
    #[hcl(requires = "glob")]
    kind: Option<found::Kind>,
    /// How long ago the content of what `glob` finds was changed, at least.
    #[hcl(requires = "glob")]
    min_age: Option<Duration>,
    /// The most bytes of a file whose content is read; 0 reads none.
    #[hcl(default = 65536, max = 16_777_216)]
    content_limit: u64,
    /// Whether the SHA-256 of the file at `path` is made, for which all of it is read.
    #[hcl(default, conflicts_with = "glob")]
    hash: bool,
}

impl QueryPreparer {
    fn parsed(&self) -> Result<Option<Glob>, FieldError> {
        self.glob.as_deref().map(Glob::parse).transpose().map_err(|reason| invalid("glob", reason))
    }
}

impl Validate for QueryPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.parsed().map(drop).map_err(|error| vec![error])
    }
}

impl HasFootprint for QueryPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if let Ok(Some(glob)) = self.parsed() {
            footprint.claims.push(Claim {
                verb: Verb::Needs,
                thing: Thing::new(kind::PATH, &glob.root().to_string_lossy()),
                aspect: Some(aspect::TREE),
                field: Some("glob"),
            });
        }
    }
}

impl Resource for QueryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Query> {
        let glob = self.parsed().map_err(|error| vec![error])?;
        Ok(Query {
            path: self.path,
            pattern: self.glob,
            glob,
            kind: self.kind,
            min_age: self.min_age.unwrap_or_default(),
            content_limit: self.content_limit,
            hashes: self.hash,
            found: found::Found::default(),
        })
    }
}
