//! The fields of everything that is fetched.

use std::time::Duration;

use converge_core::prelude::*;
use converge_core::system::LeastRate;
use converge_core::value::FieldError;
use indexmap::IndexMap;

use super::access::Access;
use super::download::RequestOptions;
use super::hash::{Expected, HashType};
use super::source::{Location, Source};
use crate::text::Text;

/// Where something comes from, and what is expected of it.
#[derive(Debug, HclBlock)]
pub(crate) struct Origin {
    /// Where it comes from: an `http://`, `https://` or `file://` URL, or a path.
    #[hcl(required, nonempty, needs = "path")]
    pub(crate) source: Source,
    /// The function that gives `hash`. Only `sha256` and `sha512` protect from who means harm.
    #[hcl(required_together = "hash_type,hash")]
    hash_type: Option<HashType>,
    /// The hash of what comes from there, as hexadecimal digits.
    #[hcl(nonempty, required_together = "hash_type,hash")]
    hash: Option<String>,
    /// What is sent with the request: `{ Accept = "text/plain" }`. When the server redirects to another host, that
    /// one gets none of it. Secrets in it are sent over https alone, but for what `insecure` says of this machine.
    #[hcl(default)]
    headers: IndexMap<String, Text>,
    /// How long the server may send nothing. It is `30s` when nothing else is given.
    inactivity_timeout: Option<Duration>,
    /// How many bytes a second the server must send at the least, on the average of a minute. It is 1000 when nothing else
    /// is given; 0 allows any rate.
    min_rate: Option<u64>,
    #[hcl(embed)]
    access: Access,
}

impl Origin {
    /// What the content has to hash to, when that is given.
    fn expected(&self) -> Result<Option<Expected>, FieldError> {
        Expected::new(self.hash_type, self.hash.as_deref())
    }

    /// The source, what its content has to hash to, and how it is requested. No more than `max_size` bytes are taken.
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
    /// The rules of its fields, for the resources that it is a part of.
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

/// Whether it is the header that says who asks.
pub(super) fn is_authorization(name: &str) -> bool {
    name.eq_ignore_ascii_case("authorization")
}
