//! The agent's client for resources that a server stores.

use std::fmt::Display;

use converge_client::{Client, ClientError, Event, Method, Watch};
use converge_controller::{DataError, Id, Name, Resource, Status, StoredResource, Tenancy, Type, Typed, Uid};
use serde_json::Value;

use crate::fleet::types::Assignment;
use crate::json::{Codec, JsonError};

/// The server API as far as an agent uses it.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    client: Client,
    codec: Codec,
}

/// A reason why a request to the server failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum RemoteError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error("it has no node {0} yet")]
    NoNode(Name),
    #[error("it does not return what was written")]
    Silent,
}

/// An event of a watch.
#[derive(Debug)]
pub(super) enum WatchEvent<T> {
    /// The resource exists in this version.
    Present(Box<Typed<T>>),
    /// The initial snapshot is complete.
    Snapshot,
    /// The resource has been deleted.
    Deleted(Id),
}

impl Remote {
    pub(super) fn new(client: Client, codec: Codec) -> Self {
        Self { client, codec }
    }

    /// Returns the resource, or `None` if it does not exist.
    pub(super) async fn find<T: StoredResource>(&self, id: &Id) -> Result<Option<Typed<T>>, RemoteError> {
        let answer = self.client.find(Method::GET, &path(id, ""), None).await?;
        answer.map(|json| self.read(json)).transpose()
    }

    /// Returns the value of a secret and its generation.
    pub(super) async fn secret(
        &self,
        tenancy: &Tenancy,
        name: &str,
    ) -> Result<(String, String), RemoteError> {
        let path = format!("/v1/node/secrets/{name}{}", query(tenancy, None));
        let answer = self.client.find(Method::GET, &path, None).await?.ok_or(RemoteError::Silent)?;
        match (answer["value"].as_str(), answer["generation"].as_str()) {
            (Some(value), Some(generation)) => Ok((value.to_owned(), generation.to_owned())),
            _ => Err(RemoteError::Silent),
        }
    }

    /// Creates or replaces a resource.
    pub(super) async fn write<T: StoredResource>(&self, resource: Typed<T>) -> Result<Typed<T>, RemoteError> {
        let resource = resource.into_resource();
        let path = path(&resource.id, "");
        let json = self.codec.encode(&resource)?;
        let stored = self.client.find(Method::PUT, &path, Some(&json)).await?.ok_or(RemoteError::Silent)?;
        self.read(stored)
    }

    /// Writes the status of a resource under a key.
    ///
    /// A resource that no longer exists is no error.
    pub(super) async fn report(&self, id: &Id, key: &str, status: &Status) -> Result<(), RemoteError> {
        let json = serde_json::to_value(status).map_err(|error| self.client.strange(&error))?;
        self.client.find(Method::PUT, &path(id, &format!("/status/{key}")), Some(&json)).await?;
        Ok(())
    }

    pub(super) async fn watch_assignments(&self, node: &Name) -> Result<RemoteWatch, RemoteError> {
        let path = format!(
            "{}?watch=true&partition=*&namespace=*&name_prefix={}&selector={}%3D{node}",
            type_path(Assignment::resource_type()),
            Assignment::name_prefix(node),
            Assignment::NODE,
        );
        Ok(RemoteWatch { watch: self.client.watch(&path).await?, remote: self.clone() })
    }

    fn read<T: StoredResource>(&self, json: Value) -> Result<Typed<T>, RemoteError> {
        Ok(Typed::decode(self.resource(json)?)?)
    }

    fn resource(&self, json: Value) -> Result<Resource, RemoteError> {
        Ok(self.codec.decode(json)?)
    }
}

/// A watch on a server.
#[derive(Debug)]
pub(super) struct RemoteWatch {
    watch: Watch,
    remote: Remote,
}

impl RemoteWatch {
    /// Returns the next event.
    ///
    /// # Errors
    ///
    /// The watch has ended; continue with a new one.
    pub(super) async fn next<T: StoredResource>(&mut self) -> Result<WatchEvent<T>, RemoteError> {
        let Event { name, data } = self.watch.next().await?;
        match name.as_str() {
            "upsert" => Ok(WatchEvent::Present(Box::new(self.remote.read(data)?))),
            "end_of_snapshot" => Ok(WatchEvent::Snapshot),
            "delete" => Ok(WatchEvent::Deleted(self.remote.resource(data)?.id)),
            _ => Err(self.watch.strange(&format!("it sends an unknown event, {name:?}")).into()),
        }
    }
}

/// Returns the URL path of the resources of a type.
fn type_path(Type { group, group_version, kind }: &Type) -> String {
    format!("/v1/resources/{group}/{group_version}/{kind}")
}

/// Returns the URL path of a resource, or of a part of it, with its query string.
///
/// All its parts consist of letters, digits, dashes and underscores.
fn path(Id { resource_type, tenancy, name, uid }: &Id, part: &str) -> String {
    format!("{}/{name}{part}{}", type_path(resource_type), query(tenancy, *uid))
}

/// Returns the query string that selects a tenancy and a uid.
fn query(tenancy: &Tenancy, uid: Option<Uid>) -> String {
    let part = |name: &str, value: &dyn Display| format!("{name}={value}");
    let parts = [
        tenancy.partition().map(|partition| part("partition", partition)),
        tenancy.namespace().map(|namespace| part("namespace", namespace)),
        uid.map(|uid| part("uid", &uid)),
    ];
    let query: Vec<_> = parts.into_iter().flatten().collect();
    if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) }
}
