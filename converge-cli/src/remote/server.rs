//! Requests for resources, and their answers.

use converge_client::{Client, Credentials, Method, ServerUrl, Watch};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::error::RemoteError;
use super::path::{Named, Query};
use super::resource::Found;
use super::type_catalog::{Description, KnownType, Types};
use crate::server_runtime::block_on;

/// The resources of a server.
///
/// All methods except `watch` block, so they must not be called in a future.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    client: Client,
}

#[derive(Debug, Deserialize)]
struct Listed {
    resources: Vec<Json>,
}

impl Server {
    /// Creates a client of the server at a URL.
    pub(crate) fn new(url: ServerUrl, credentials: &Credentials) -> Result<Self, RemoteError> {
        Ok(Self { client: Client::new([url], credentials)? })
    }

    /// Reads the types of the server.
    pub(crate) fn types(&self) -> Result<Types, RemoteError> {
        let description: Description = self.json(Method::GET, "/v1/openapi.json", None)?;
        Ok(Types::new(description))
    }

    pub(crate) fn read(&self, id: &Named, consistent: bool) -> Result<Found, RemoteError> {
        let query = if consistent { id.query().with("consistent", "true") } else { id.query() };
        self.one(id, Method::GET, &query, None)
    }

    /// Writes a resource, and returns it as stored, or with `dry_run` as it would be.
    pub(crate) fn write(&self, id: &Named, body: &Json, dry_run: bool) -> Result<Found, RemoteError> {
        let query = if dry_run { id.query().with("dry_run", "true") } else { id.query() };
        self.one(id, Method::PUT, &query, Some(body))
    }

    pub(crate) fn delete(&self, id: &Named, query: &Query) -> Result<(), RemoteError> {
        let path = id.path() + query.as_str();
        block_on(self.client.request(Method::DELETE, &path, None))??;
        Ok(())
    }

    pub(crate) fn list(&self, resource_type: &KnownType, query: &Query) -> Result<Vec<Found>, RemoteError> {
        let listed: Listed = self.json(Method::GET, &(resource_type.path() + query.as_str()), None)?;
        let resources: Result<_, _> = listed.resources.into_iter().map(Found::new).collect();
        resources.map_err(|error| self.strange(&error))
    }

    /// Watches changes; the stream ends when the server ends it.
    pub(super) async fn watch(&self, of: &KnownType, query: &Query) -> Result<Watch, RemoteError> {
        let query = query.clone().with("watch", "true");
        Ok(self.client.watch(&(of.path() + query.as_str())).await?)
    }

    /// Creates the error of an answer that is not what the command asked for.
    pub(super) fn strange(&self, problem: &dyn std::fmt::Display) -> RemoteError {
        self.client.strange(problem).into()
    }

    fn one(
        &self,
        named: &Named,
        method: Method,
        query: &Query,
        body: Option<&Json>,
    ) -> Result<Found, RemoteError> {
        let json = self.json(method, &(named.path() + query.as_str()), body)?;
        let resource = Found::new(json).map_err(|error| self.strange(&error))?;
        if resource.name() == named.name {
            return Ok(resource);
        }
        Err(self.strange(&format!("asked for {}, it answers with {}", named.name, resource.name())))
    }

    fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Json>,
    ) -> Result<T, RemoteError> {
        Ok(block_on(self.client.json(method, path, body))??)
    }
}
