//! The `file.fetch` resource: a file from a server or from another path.

mod compare;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Fetch;
use task::FetchFindings;

use super::download_fields::Origin;
use crate::file::attributes::Attributes;
use crate::file::destination_link::FollowLink;

/// The default maximum number of bytes to fetch.
const MAX_SIZE: u64 = 8 << 30;

/// Fetches a file from a server, or from another place of the machine.
///
/// If the file already exists, the fields decide:
///
/// | | `hash` | no `hash` |
/// | --- | --- | --- |
/// | without `force` | another hash is an error | it stays, whatever it contains |
/// | with `force` | another hash is replaced | it is replaced if it differs from the source |
/// | with `only_if_missing` | it stays, whatever it contains | it stays, whatever it contains |
///
/// # Guarantees
///
/// The file appears, or is replaced, as a whole. Before that, its hash was found to be the expected one, and
/// all of it has reached the disk, so that it survives a power cut. If anything goes wrong before that,
/// including a full disk, the previous file is still there and nothing else is. Mode, owner and group of an
/// existing file are kept unless they are given; a new file has mode `0600` unless `mode` is given. An access
/// control list and extended attributes are kept as well. The file
/// gets the time that the server reports, plus 304 milliseconds, by which a later check recognises that it
/// comes from there.
///
/// A server that does not answer, is silent, sends too slowly or without end is given up. A transient failure
/// (no connection, silence, a truncated answer, 408, 429 and most of 5xx) is retried three times, after 1, 2
/// and 4 seconds, or when the server says so. At most five redirects are followed, and none from https to
/// http. Proxies are taken from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; this machine
/// (`localhost`, `127.0.0.1`) is asked without a proxy.
///
/// # Caveats
///
/// A check makes at most one request. With `hash`, or without `force`, it makes none for a file that exists.
/// With `force` alone it asks whether the source is newer; if the server does not say, the whole source is
/// read and compared.
///
/// The directory must exist: see `file.directory`.
#[derive(Debug, Preparer)]
#[preparer(name = "file.fetch", task = Fetch, validate, example = "example.hcl")]
pub struct FetchPreparer {
    #[hcl(embed)]
    origin: Origin,
    /// Path of the file. If it is a symbolic link, its target is replaced: see `follow`.
    #[hcl(required, nonempty, manages = "path:existence, path:content", ensures = "path:content")]
    destination: String,
    /// Whether an existing file that differs is replaced.
    #[hcl(default)]
    force: bool,
    /// Whether an existing file keeps its content, whatever that is.
    ///
    /// Mode, owner and group are managed all the same.
    #[hcl(default, conflicts_with = "force")]
    only_if_missing: bool,
    /// Whether a symbolic link at the destination stays, and its target is written.
    ///
    /// If false, the fetched file replaces the link, and its target stays as it is.
    #[hcl(default = true)]
    follow: bool,
    /// The maximum number of bytes to fetch. The default is 8589934592 (8 GiB).
    #[hcl(min = 1)]
    max_size: Option<u64>,
    #[hcl(embed)]
    attributes: Attributes,
}

impl Validate for FetchPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.origin.validate()
    }
}

impl Resource for FetchPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Fetch> {
        let (source, expected, options) = self.origin.into_parts(self.max_size.unwrap_or(MAX_SIZE))?;
        Ok(Fetch {
            source,
            destination: self.destination,
            hash_type: expected.as_ref().map(|expected| expected.hash_type),
            hash: expected.as_ref().map(|expected| expected.hash.to_string()),
            force: self.force,
            only_if_missing: self.only_if_missing,
            follow: FollowLink(self.follow),
            expected,
            attributes: self.attributes,
            options,
            found: FetchFindings::default(),
            fetched: None,
        })
    }
}
