//! The format of differences in documents.
//!
//! Events show both sides as text. A document also states the kind of each side, so that it can be read back.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Difference;
use crate::sdk::status::DiffValue;

/// A difference for serialization.
#[derive(Serialize, Deserialize)]
struct Written {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<Cow<'static, str>>,
    #[serde(with = "Side")]
    before: DiffValue,
    #[serde(with = "Side")]
    after: DiffValue,
    changes: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refresh: bool,
}

/// A side of a difference: `{"known": "0644"}`, `{"placeholder": "(none)"}`, `"unknown"` or `"secret"`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "DiffValue", rename_all = "lowercase")]
enum Side {
    Known(String),
    Placeholder(String),
    Unknown,
    Secret,
}

pub(super) fn serialize<S: Serializer>(differences: &[Difference], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(differences.iter().cloned().map(|difference| {
        let Difference { name, field, before, after, changes, refresh } = difference;
        Written { name, field, before, after, changes, refresh }
    }))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Difference>, D::Error> {
    let differences = Vec::<Written>::deserialize(deserializer)?;
    let read = |Written { name, field, before, after, changes, refresh }| Difference {
        name,
        field,
        before,
        after,
        changes,
        refresh,
    };
    Ok(differences.into_iter().map(read).collect())
}
