//! The `file.query` resource: information about a path, or about files that match a pattern.

mod filter;
mod matches;
mod search;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_sdk::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use converge_sdk::prelude::*;

pub use task::Query;

use super::edit::invalid;
use super::edit::pattern::Pattern;
use super::glob::Glob;
use converge_sdk::value::FieldError;
use filter::FileFilter;

/// Returns information about a path, or the files that match a pattern. It never has changes.
///
/// Other resources look up the results: `file.query.it.exists`, `file.query.it.content`,
/// `file.query.it.paths`. A missing path is no error. The query runs in each check, also in a plan. If a
/// pending change may affect the results, the exports are known after the apply.
///
/// # Caveats
///
/// A link at `path` is followed, as by every reader of the file; if its target is missing, the path does not
/// exist. A pattern follows no links. It may match at most 10000 paths, and look at 1000000. A name that is
/// not UTF-8 is left out and reported. Secret content is visible to everybody who can see the plan, unless
/// the resource that looks it up is sensitive.
#[derive(Debug, Preparer)]
#[preparer(name = "file.query", task = Query, validate, footprint, reads = "named", changes = "named", example = "example.hcl")]
#[preparer(exactly_one = "path,glob")]
pub struct QueryPreparer {
    /// The path.
    #[hcl(nonempty, needs = "path")]
    path: Option<String>,
    /// A pattern of paths.
    ///
    /// `*` is any text in a name, `?` any character, `[a-z]` one of these and `[!a-z]` none of them, `**` any
    /// number of directories. Names that begin with a dot are matched only by a pattern that begins with one.
    #[hcl(nonempty)]
    glob: Option<String>,
    /// The kind of files that `glob` matches; the default is all kinds.
    #[hcl(requires = "glob")]
    kind: Option<matches::Kind>,
    /// The minimum time since the last change of the content of a file that `glob` matches.
    #[hcl(requires = "glob")]
    min_age: Option<Duration>,
    /// The maximum time since that change.
    #[hcl(requires = "glob")]
    max_age: Option<Duration>,
    /// The minimum size in bytes of a file that `glob` matches.
    ///
    /// With this field, `max_size` or `contains`, only regular files match.
    #[hcl(requires = "glob")]
    min_size: Option<u64>,
    /// The maximum size in bytes of a file that `glob` matches.
    #[hcl(requires = "glob")]
    max_size: Option<u64>,
    /// A regular expression for the content of files that `glob` matches.
    ///
    /// It has to match somewhere in a line, with `^` as its begin and `$` as its end. Whole files are read,
    /// but no more than 1 GiB in all. Of a line longer than 1 MiB, only the beginning is examined.
    #[hcl(requires = "glob")]
    contains: Option<Pattern>,
    /// The maximum size in bytes of a file whose content is read; 0 reads none.
    #[hcl(default = 65536, max = 16_777_216)]
    content_limit: u64,
    /// Whether the SHA-256 of the file at `path` is computed, for which the whole file is read.
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
        self.parsed().map_err(|error| vec![error])?;
        let of_files = [
            ("min_size", self.min_size.is_some()),
            ("max_size", self.max_size.is_some()),
            ("contains", self.contains.is_some()),
        ];
        if let (Some(kind), Some((field, _))) =
            (self.kind, of_files.iter().find(|(_, is_written)| *is_written))
            && kind != matches::Kind::File
        {
            return Err(vec![invalid(field, "only files have it: write `kind = \"file\"`, or no `kind`")]);
        }
        let is_empty =
            |least: Option<u64>, most: Option<u64>| least.zip(most).is_some_and(|(least, most)| least > most);
        let nanos = |age: Option<Duration>| age.map(|age| u64::try_from(age.as_nanos()).unwrap_or(u64::MAX));
        let ages = (nanos(self.min_age), nanos(self.max_age));
        for (field, other, (least, most)) in
            [("max_age", "min_age", ages), ("max_size", "min_size", (self.min_size, self.max_size))]
        {
            if is_empty(least, most) {
                return Err(vec![invalid(
                    field,
                    format!("it is less than `{other}`, so nothing would be found"),
                )]);
            }
        }
        Ok(())
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
                state: None,
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
            meant: FileFilter {
                kind: self.kind,
                min_age: self.min_age,
                max_age: self.max_age,
                min_size: self.min_size,
                max_size: self.max_size,
                contains: self.contains,
            },
            content_limit: self.content_limit,
            hashes: self.hash,
            found: matches::Found::default(),
        })
    }
}
