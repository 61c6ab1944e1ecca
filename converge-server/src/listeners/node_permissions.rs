//! The permissions of a node that depend on its assignments.
//!
//! A node may read the revisions that its assignments name, receive the secrets of these revisions, and
//! report on its assignments. These rules depend on stored resources, and the rules of `access/node.rs` only
//! check names. A request that no rule here allows is authorized like any other.

use std::sync::Arc;

use converge_controller::service::{List, ServiceError, StatusUpdate};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Name, Resource, StoredResource as _, Tenancy, Typed};

use super::error_response::{Kind, Refusal};
use super::request::RequestContext;
use crate::access::NodeCertificate;
use crate::fleet::types::{Assignment, Revision, Secret};
use crate::secret_seal::Sealed;

impl RequestContext {
    /// Reads a resource.
    pub(crate) async fn read(
        &self,
        id: &Id,
        consistency: Consistency,
    ) -> Result<Arc<Resource>, ServiceError> {
        // The server reads the revision to get its full identity. Nodes without such an assignment do not
        // receive it.
        if let Some(node) = self.node().filter(|_| id.resource_type == *Revision::resource_type())
            && let Ok(resource) = self.own.read(id, consistency).await
            && self.is_assigned(node, &resource.id).await?
        {
            return Ok(resource);
        }
        self.client.read(id, consistency).await
    }

    pub(crate) async fn write_status(&self, update: StatusUpdate) -> Result<Arc<Resource>, ServiceError> {
        let is_report = update.id.resource_type == *Assignment::resource_type()
            && update.key.as_str() == Assignment::REPORT;
        // A node can only read its own assignments.
        if self.node().is_some()
            && is_report
            && self
                .client
                .find(&update.id, Consistency::Strong)
                .await
                .is_ok_and(|resource| resource.is_some())
        {
            return self.own.write_status(update).await;
        }
        self.client.write_status(update).await
    }

    /// Returns the value of a secret and its generation to a node with an assignment that names the secret.
    ///
    /// A token is not enough, whatever its rules. If authentication is disabled, every caller gets the value.
    pub(crate) async fn open_secret(
        &self,
        tenancy: Tenancy,
        name: Name,
    ) -> Result<(String, String), Refusal> {
        if !self.gate.is_open() {
            let allowed = match self.node() {
                Some(node) => self.is_given(node, &tenancy, &name).await?,
                None => false,
            };
            if !allowed {
                let message = "a secret is given to a node that asks with its certificate, where a module that is assigned to it names the secret";
                return Err(Refusal::new(Kind::PermissionDenied, message));
            }
        }
        let id = Id::new(Secret::resource_type().clone(), tenancy, name);
        let stored = self.own.read(&id, Consistency::Strong).await?;
        let generation = stored.generation.map(|generation| generation.to_string()).unwrap_or_default();
        let secret: Typed<Secret> = Typed::try_from(stored)
            .map_err(|error| Refusal::new(Kind::Internal, format!("the secret cannot be read: {error}")))?;
        let sealed = Sealed { key: secret.key.clone(), bytes: secret.sealed.clone() };
        Ok((self.seal.open(&id, &sealed)?, generation))
    }

    /// Whether a revision that is assigned to a node names a secret.
    async fn is_given(&self, node: &Id, tenancy: &Tenancy, secret: &Name) -> Result<bool, ServiceError> {
        let list = List::new(Assignment::resource_type().clone())
            .in_tenancy(tenancy.clone())
            .with_prefix(Assignment::name_prefix(&node.name))
            .consistency(Consistency::Strong);
        // The client of a node does not see assignments of other nodes.
        let assignments: Vec<_> = self.client.list_each_as::<Assignment>(&list).await?.flatten().collect();
        for revision in assignments.iter().filter_map(|assignment| assignment.revision.as_ref()) {
            if revision.tenancy != *tenancy {
                continue;
            }
            let Some(resource) = self.own.find(&revision.id(), Consistency::Strong).await? else { continue };
            let Ok(revision) = Typed::<Revision>::try_from(resource) else { continue };
            if revision.content.secrets.values().any(|name| name == secret.as_str()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the calling node, if the caller is one.
    fn node(&self) -> Option<&Id> {
        self.certificate().and_then(NodeCertificate::node)
    }

    /// Whether an assignment of the node names the revision.
    async fn is_assigned(&self, node: &Id, revision: &Id) -> Result<bool, ServiceError> {
        let list = List::new(Assignment::resource_type().clone())
            .in_tenancy(revision.tenancy.clone())
            .with_prefix(Assignment::name_prefix(&node.name));
        for consistency in [Consistency::Eventual, Consistency::Strong] {
            let names = |assignment: &Assignment| {
                let target = assignment.revision.as_ref();
                target
                    .is_some_and(|target| target.name == revision.name && target.tenancy == revision.tenancy)
            };
            // The client of a node does not see assignments of other nodes.
            let mut assignments =
                self.client.list_each_as::<Assignment>(&list.clone().consistency(consistency)).await?;
            if assignments.any(|assignment| assignment.is_ok_and(|assignment| names(&assignment))) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
