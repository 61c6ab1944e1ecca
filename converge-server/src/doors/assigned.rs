//! What a node may do because of what is assigned to it.
//!
//! It may read a revision that one of its assignments names, and report what came of these. That depends on what is stored, of which who
//! knows rights by names alone knows nothing. So it is asked here, and what is not allowed here is asked as everything is.

use std::sync::Arc;

use converge_controller::service::{List, ServiceError, StatusUpdate};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Resource, StoredResource as _};

use super::visit::Visit;
use crate::access::NodeCertificate;
use crate::fleet::types::{Assignment, Revision};

impl Visit {
    /// Reads a resource.
    pub(crate) async fn read(
        &self,
        id: &Id,
        consistency: Consistency,
    ) -> Result<Arc<Resource>, ServiceError> {
        // It is read to know all of its identity, and given to nobody whom it does not concern.
        if let Some(node) = self.node().filter(|_| id.resource_type == *Revision::resource_type())
            && let Ok(found) = self.own.read(id, consistency).await
            && self.has_to_do_with(node, &found.id).await?
        {
            return Ok(found);
        }
        self.client.read(id, consistency).await
    }

    /// Writes a status.
    pub(crate) async fn write_status(&self, update: StatusUpdate) -> Result<Arc<Resource>, ServiceError> {
        let is_report = update.id.resource_type == *Assignment::resource_type()
            && update.key.as_str() == Assignment::REPORT;
        // A node may read its own assignments and no others.
        if self.node().is_some()
            && is_report
            && self.client.find(&update.id, Consistency::Strong).await.is_ok_and(|found| found.is_some())
        {
            return self.own.write_status(update).await;
        }
        self.client.write_status(update).await
    }

    /// The node that came in, if it is one.
    fn node(&self) -> Option<&Id> {
        self.certificate().and_then(NodeCertificate::node)
    }

    /// Whether one of the assignments of a node names a revision.
    async fn has_to_do_with(&self, node: &Id, revision: &Id) -> Result<bool, ServiceError> {
        let list = List::new(Assignment::resource_type().clone())
            .in_tenancy(revision.tenancy.clone())
            .with_prefix(Assignment::beginning_of(&node.name));
        for consistency in [Consistency::Eventual, Consistency::Strong] {
            let names = |assignment: &Assignment| {
                let named = assignment.revision.as_ref();
                named.is_some_and(|it| it.name == revision.name && it.tenancy == revision.tenancy)
            };
            // Those of others are not found.
            let mut found =
                self.client.list_each_as::<Assignment>(&list.clone().consistency(consistency)).await?;
            if found.any(|assignment| assignment.is_ok_and(|assignment| names(&assignment))) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
