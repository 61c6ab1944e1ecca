//! The fields of all resources that fetch something.

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::LeastRate;
use converge_sdk::value::FieldError;
use indexmap::IndexMap;

use super::access::Access;
use super::download::RequestOptions;
use super::hash::{Expected, HashType};
use super::source::{Location, Source};
use crate::text::Text;

/// The declared source of a download, and the expectations of it.
#[derive(Debug, HclBlock)]
#[hcl(all_or_none = "hash_type,hash")]
pub(crate) struct Origin {
    /// The source: an `http://`, `https://` or `file://` URL, or a path.
    #[hcl(required, nonempty, needs = "path")]
    pub(crate) source: Source,
    /// The hash function of `hash`. Only `sha256`, `sha384` and `sha512` protect from attackers.
    hash_type: Option<HashType>,
    /// The expected hash of the source, as hexadecimal digits.
    #[hcl(nonempty)]
    hash: Option<String>,
    /// Headers of the request: `{ Accept = "text/plain" }`.
    ///
    /// After a redirect to another host, that host gets none of them. Secrets in them are sent over https
    /// only, except as described for `insecure`.
    #[hcl(default)]
    headers: IndexMap<String, Text>,
    /// The longest time that the server may send nothing. The default is `30s`.
    inactivity_timeout: Option<Duration>,
    /// The minimum number of bytes per second that the server must send, averaged over a minute.
    ///
    /// The default is 1000; 0 allows any rate.
    min_rate: Option<u64>,
    #[hcl(embed)]
    access: Access,
}

impl Origin {
    /// Returns the expected hash, if one is given.
    fn expected(&self) -> Result<Option<Expected>, FieldError> {
        Expected::new(self.hash_type, self.hash.as_deref())
    }

    /// Returns the source, its expected hash, and the options of the request.
    ///
    /// The request receives at most `max_size` bytes.
    pub(crate) fn into_parts(
        self,
        max_size: u64,
    ) -> Result<(Source, Option<Expected>, RequestOptions), Vec<FieldError>> {
        let expected = self.expected().map_err(|error| vec![error])?;
        let headers = self.headers.into_iter().collect();
        let least_rate = self.min_rate.map_or_else(LeastRate::default, LeastRate::per_second);
        let inactivity = self.inactivity_timeout;
        let options = RequestOptions { headers, inactivity, least_rate, max_size, access: self.access };
        Ok((self.source, expected, options))
    }
}

impl Origin {
    /// Validates the fields, for the resources that contain them.
    pub(super) fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors: Vec<_> = self.expected().err().into_iter().collect();
        let url = match self.source.location() {
            Location::Url(url) => Some(url),
            Location::File(_) => None,
        };
        let has_secrets = self.headers.values().any(Text::is_secret);
        let secrets = [("headers", has_secrets), ("source", self.source.is_secret())];
        let secrets: Vec<_> = secrets.into_iter().filter_map(|(field, is)| is.then_some(field)).collect();
        errors.extend(self.access.validate(url, &secrets));
        if url.is_none() && !self.headers.is_empty() {
            errors.push(field_error!("headers", "they are sent to a server, and `source` is a file"));
        }
        if self.access.has_header() && self.headers.keys().any(|name| is_authorization(name)) {
            errors.push(field_error!("headers", "`auth` sends `Authorization`: write one of them"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Whether the name is that of the `Authorization` header.
pub(super) fn is_authorization(name: &str) -> bool {
    name.eq_ignore_ascii_case("authorization")
}
