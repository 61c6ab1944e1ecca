//! `file.fetch`: a file from elsewhere.

mod compare;
mod task;
#[cfg(test)]
mod tests;

use std::time::Duration;

use converge_core::prelude::*;
use converge_core::value::FieldError;
use indexmap::IndexMap;

pub use task::Fetch;

use super::download::Asking;
use super::hash::{Expected, HashType};
use super::source::{Source, check_headers};
use crate::file::attributes::Attributes;
use crate::file::mode::ModeSpec;
use crate::text::Text;

/// Fetches a file from a server, or from another place of the machine.
///
/// When there is a file already, it depends on what is given:
///
/// | | `hash` | no `hash` |
/// | --- | --- | --- |
/// | without `force` | another hash is an error | it stays, whatever it contains |
/// | with `force` | another hash is replaced | what differs from the source is replaced |
///
/// # Guarantees
///
/// The file appears, or is replaced, as a whole, and only after its hash was found to be the expected one. When anything goes
/// wrong before that, also when the disk is full, what was there before is still there and nothing else is. Mode, owner and
/// group of a file that exists are kept unless they are given; a new file has mode `0600` unless `mode` is given. The file gets
/// the time that the server gives it, and 304 milliseconds, by which a later check knows that it comes from there.
///
/// A failure that may pass (no connection, silence, an answer that breaks off, 408, 429 and most of 5xx) is tried again three
/// times, after 1, 2 and 4 seconds, or when the server says so. At most five redirects are followed, and none from https to
/// http. Proxies are taken from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
///
/// # Caveats
///
/// A check makes at most one request. With `hash`, or without `force`, it makes none for a file that is there. With `force`
/// alone it asks whether the source is newer; when the server does not say, the whole source is read and compared.
///
/// The directory must exist: see `file.directory`.
#[derive(Debug, Preparer)]
#[preparer(name = "file.fetch", task = Fetch, validate, example = "example.hcl")]
pub struct FetchPreparer {
    /// Where it comes from: an `http://`, `https://` or `file://` URL, or a path.
    #[hcl(required, nonempty)]
    source: Source,
    /// Path of the file. If it is a symbolic link, what it points to is replaced.
    #[hcl(required, nonempty)]
    destination: String,
    /// The function that gives `hash`. Only `sha256` and `sha512` protect from who means harm.
    #[hcl(required_together = "hash_type,hash")]
    hash_type: Option<HashType>,
    /// The hash of the content, as hexadecimal digits.
    #[hcl(nonempty, required_together = "hash_type,hash")]
    hash: Option<String>,
    /// Whether a file that is there and differs is replaced.
    #[hcl(default)]
    force: bool,
    /// The permissions: octal as `0644` or `"0644"`, or symbolic as for `file.mode`. A new file has 0600
    /// before a symbolic mode changes it.
    #[hcl(base = 8)]
    mode: Option<ModeSpec>,
    /// Owner, by user name, or by user id where no user has this name.
    owner: Option<String>,
    /// Group, by name, or by group id where no group has this name.
    group: Option<String>,
    /// What is sent with the request: `{ Authorization = "Bearer .." }`. When the server redirects to another host, that
    /// one gets none of it.
    #[hcl(default)]
    headers: IndexMap<String, Text>,
    /// How long the server may send nothing. It is `30s` when nothing else is given.
    inactivity_timeout: Option<Duration>,
}

impl Validate for FetchPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let hash = Expected::new(self.hash_type, self.hash.as_deref()).map(drop);
        let errors: Vec<_> =
            [hash, check_headers(&self.source, &self.headers)].into_iter().filter_map(Result::err).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

#[async_trait]
impl Resource for FetchPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Fetch> {
        let headers = self.headers.into_iter().collect();
        let expected = Expected::new(self.hash_type, self.hash.as_deref()).map_err(|error| vec![error])?;
        let named = |name: Option<String>| name.filter(|name| !name.is_empty());
        let attributes = Attributes { mode: self.mode, owner: named(self.owner), group: named(self.group) };
        let asking = Asking { headers, inactivity: self.inactivity_timeout };
        Ok(Fetch::new(self.source, self.destination, expected, self.force, attributes, asking))
    }
}
