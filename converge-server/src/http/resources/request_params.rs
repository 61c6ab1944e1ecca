//! The path and query parameters of resource requests.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query as Parsed};
use axum::http::request::Parts;
use converge_controller::service::List;
use converge_controller::storage::Consistency;
use converge_controller::{Id, Tenancy, Type, Uid, Version};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::listeners::{Refusal, RequestContext, ResourceQuery, partition};

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

#[derive(Debug, Deserialize)]
pub(super) struct StatusPath {
    #[serde(flatten)]
    pub(super) one: One,
    pub(super) key: String,
}

/// The query parameters for one resource.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OneQuery {
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
    /// The required uid.
    uid: Option<Uid>,
    /// The required version.
    version: Option<Version>,
    /// Whether the read must include everything that is committed.
    #[serde(default)]
    consistent: bool,
    /// Whether everything is checked but nothing is written.
    ///
    /// Only a write accepts this, and clears it.
    #[serde(default)]
    pub(super) dry_run: bool,
}

/// The query parameters for a type.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    /// The partition; `*` matches any.
    #[serde(default)]
    partition: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    name_prefix: String,
    /// The metadata selector.
    #[serde(default)]
    selector: String,
    #[serde(default)]
    consistent: bool,
    /// Whether to stream changes.
    #[serde(default)]
    pub(super) watch: bool,
}

/// A query string.
///
/// An invalid query gets the standard error response.
pub(super) struct Query<T>(pub(super) T);

/// The id of one resource, and the conditions of the request.
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
    pub(super) fn asked(self, doors: &RequestContext, path: &One) -> Result<Asked, Refusal> {
        if self.dry_run {
            return Err(Refusal::invalid("dry_run is for the PUT of a resource"));
        }
        let resource_type = resource_type(doors, &path.group, &path.version, &path.kind)?;
        let partition = partition(&self.partition, &self.namespace, doors.client.caller().defaults());
        let tenancy = Tenancy::from_units(&partition, &self.namespace).map_err(Refusal::wrong)?;
        let mut id = Id::new(resource_type, tenancy, path.name.parse().map_err(Refusal::wrong)?);
        id.uid = self.uid;
        Ok(Asked { id, version: self.version, consistency: consistency(self.consistent) })
    }
}

impl ListQuery {
    pub(super) fn list(&self, doors: &RequestContext, path: &TypePath) -> Result<List, Refusal> {
        let resource_type = resource_type(doors, &path.group, &path.version, &path.kind)?;
        let Self { partition, namespace, name_prefix, selector, .. } = self;
        let list = ResourceQuery { partition, namespace, name_prefix, selector }
            .list(resource_type, doors.client.caller().defaults())?;
        Ok(list.consistency(consistency(self.consistent)))
    }
}

fn consistency(consistent: bool) -> Consistency {
    if consistent { Consistency::Strong } else { Consistency::Eventual }
}

/// Returns the type of a path.
///
/// The kind may be in lower case.
fn resource_type(doors: &RequestContext, group: &str, version: &str, kind: &str) -> Result<Type, Refusal> {
    let types = doors.client.service().types();
    let resource_type = types.iter().map(|known| &known.resource_type).find(|known| {
        known.group.as_str() == group
            && known.group_version.as_str() == version
            && known.kind.as_str().eq_ignore_ascii_case(kind)
    });
    match resource_type {
        Some(resource_type) => Ok(resource_type.clone()),
        None => Err(Refusal::invalid(format!("resource type {group}.{version}.{kind} not registered"))),
    }
}
