//! The types of a server, with their schemas.

use std::fmt;

use converge_core::diagnostic::did_you_mean;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::encode::percent_encode;
use super::error::RemoteError;
use crate::document::Schemas;

/// The types and schemas of a server.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    types: Vec<KnownType>,
    pub(crate) schemas: Schemas,
}

/// A resource type of the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct KnownType {
    group: String,
    group_version: String,
    kind: String,
}

/// The parts in use of the `OpenAPI` document of the server.
#[derive(Debug, Deserialize)]
pub(super) struct Description {
    components: Components,
    #[serde(rename = "x-converge-types")]
    types: Vec<Described>,
}

#[derive(Debug, Deserialize)]
struct Components {
    schemas: Map<String, Json>,
}

#[derive(Debug, Deserialize)]
struct Described {
    #[serde(rename = "type")]
    resource_type: KnownType,
}

impl fmt::Display for KnownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.group, self.group_version, self.kind)
    }
}

impl KnownType {
    pub(super) fn path(&self) -> String {
        let Self { group, group_version, kind } = self;
        format!(
            "/v1/resources/{}/{}/{}",
            percent_encode(group),
            percent_encode(group_version),
            percent_encode(kind)
        )
    }

    /// Returns the type as JSON, as in a resource identity.
    pub(crate) fn to_json(&self) -> Json {
        let Self { group, group_version, kind } = self;
        serde_json::json!({ "group": group, "group_version": group_version, "kind": kind })
    }

    fn is_called(&self, name: &str) -> bool {
        let (version, full_name) = (format!("{}.{}", self.group_version, self.kind), self.to_string());
        [&self.kind, &version, &full_name].iter().any(|candidate| candidate.eq_ignore_ascii_case(name))
    }
}

impl Types {
    pub(super) fn new(description: Description) -> Self {
        let types = description.types.into_iter().map(|described| described.resource_type).collect();
        Self { types, schemas: Schemas(description.components.schemas) }
    }

    /// Returns the full names of all types.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.types.iter().map(ToString::to_string)
    }

    /// Finds a type by name.
    ///
    /// The name is the kind, in any case, if it is unambiguous. Otherwise the version, or the group as well,
    /// must be given.
    pub(crate) fn find(&self, name: &str) -> Result<&KnownType, RemoteError> {
        let matches: Vec<&KnownType> =
            self.types.iter().filter(|resource_type| resource_type.is_called(name)).collect();
        match matches.as_slice() {
            [one] => Ok(one),
            [] => {
                let names: Vec<String> = self.types.iter().map(KnownType::to_string).collect();
                let kinds = self.types.iter().map(|resource_type| resource_type.kind.as_str());
                let candidates = names.iter().map(String::as_str).chain(kinds);
                let help = did_you_mean(name, candidates).unwrap_or_else(|| match names.as_slice() {
                    [] => "it has no types".to_owned(),
                    names => format!("it has {}", names.join(", ")),
                });
                Err(RemoteError::NoType { given: name.to_owned(), help: Some(help) })
            }
            several => Err(RemoteError::Ambiguous {
                given: name.to_owned(),
                types: several.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    /// Returns the schema of the data of a type.
    pub(crate) fn data(&self, resource_type: &KnownType) -> Option<&Json> {
        self.schemas.0.get(&resource_type.to_string())?.get("properties")?.get("data")
    }
}
