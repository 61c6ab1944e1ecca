//! What a request asks for, by its path and its query.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query as Parsed};
use axum::http::request::Parts;
use converge_controller::service::List;
use converge_controller::storage::Consistency;
use converge_controller::{Id, Tenancy, Type, Uid, Version};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::listeners::{Refusal, Visit, Which, partition};

/// The path of a type.
#[derive(Debug, Deserialize)]
pub(super) struct TypePath {
    group: String,
    version: String,
    kind: String,
}

/// The path of one resource.
#[derive(Debug, Deserialize)]
pub(super) struct One {
    group: String,
    version: String,
    kind: String,
    name: String,
}

/// The path of a status.
#[derive(Debug, Deserialize)]
pub(super) struct StatusPath {
    #[serde(flatten)]
    pub(super) one: One,
    pub(super) key: String,
}

/// What may be said beside the path of one resource.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OneQuery {
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
    /// Which one of that name is meant.
    uid: Option<Uid>,
    /// The state that it has to be in.
    version: Option<Version>,
    /// Whether what is read has to be as new as what is committed.
    #[serde(default)]
    consistent: bool,
    /// Whether nothing is to be written, though everything is checked. Only a write takes it, and takes it out.
    #[serde(default)]
    pub(super) dry_run: bool,
}

/// What may be said beside the path of a type.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    /// `*` is any.
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    name_prefix: String,
    /// What is noted about them.
    #[serde(default)]
    selector: String,
    #[serde(default)]
    consistent: bool,
    /// Whether to tell of changes as they come.
    #[serde(default)]
    pub(super) watch: bool,
}

/// A query; one that cannot be read is refused as everything else is.
pub(super) struct Query<T>(pub(super) T);

/// One resource, and how it is asked for.
pub(super) struct Asked {
    pub(super) id: Id,
    pub(super) version: Option<Version>,
    pub(super) consistency: Consistency,
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let parsed = Parsed::<T>::from_request_parts(parts, state).await;
        let Parsed(query) = parsed.map_err(|wrong: QueryRejection| Refusal::invalid(wrong.body_text()))?;
        Ok(Self(query))
    }
}

impl OneQuery {
    pub(super) fn asked(self, doors: &Visit, one: &One) -> Result<Asked, Refusal> {
        if self.dry_run {
            return Err(Refusal::invalid("dry_run is for the PUT of a resource"));
        }
        let resource_type = resource_type(doors, &one.group, &one.version, &one.kind)?;
        let partition = partition(&self.partition, &self.namespace, doors.client.caller().defaults());
        let tenancy = Tenancy::from_units(&partition, &self.namespace).map_err(Refusal::wrong)?;
        let mut id = Id::new(resource_type, tenancy, one.name.parse().map_err(Refusal::wrong)?);
        id.uid = self.uid;
        Ok(Asked { id, version: self.version, consistency: consistency(self.consistent) })
    }
}

impl ListQuery {
    pub(super) fn list(&self, doors: &Visit, path: &TypePath) -> Result<List, Refusal> {
        let resource_type = resource_type(doors, &path.group, &path.version, &path.kind)?;
        let Self { partition, namespace, name_prefix, selector, .. } = self;
        let list = Which { partition, namespace, name_prefix, selector }
            .list(resource_type, doors.client.caller().defaults())?;
        Ok(list.consistency(consistency(self.consistent)))
    }
}

fn consistency(consistent: bool) -> Consistency {
    if consistent { Consistency::Strong } else { Consistency::Eventual }
}

/// The type of a path, in which the kind may be written in small letters.
fn resource_type(doors: &Visit, group: &str, version: &str, kind: &str) -> Result<Type, Refusal> {
    let types = doors.client.service().types();
    let known = types.iter().map(|known| &known.resource_type).find(|known| {
        known.group.as_str() == group
            && known.group_version.as_str() == version
            && known.kind.as_str().eq_ignore_ascii_case(kind)
    });
    match known {
        Some(known) => Ok(known.clone()),
        None => Err(Refusal::invalid(format!("resource type {group}.{version}.{kind} not registered"))),
    }
}
