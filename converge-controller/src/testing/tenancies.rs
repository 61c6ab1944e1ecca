//! Tenancies for tests.

use crate::builtin_types;
use crate::identity::{Scope, Tenancy};
use crate::registry::StoredResource;
use crate::storage::Consistency;

use super::client::TestClient;
use super::resource_builder::{Draft, resource};

impl TestClient {
    /// Returns the default tenancy of a type, and others if its scope allows, created if they are missing.
    ///
    /// A test should have the same result in each of them.
    ///
    /// # Panics
    ///
    /// Panics if the service refuses to create one.
    pub async fn tenancies<T: StoredResource>(&self) -> Vec<Tenancy> {
        let units = match T::SCOPE {
            Scope::Cluster => return vec![Tenancy::Cluster],
            Scope::Partition => vec![("default", None), ("other", None)],
            Scope::Namespace => vec![
                ("default", Some("default")),
                ("default", Some("other")),
                ("other", Some("default")),
                ("other", Some("other")),
            ],
        };
        let mut tenancies = Vec::new();
        for (partition, namespace) in units {
            self.make(resource::<builtin_types::Partition>(partition)).await;
            let partition_tenancy = Tenancy::from_units(partition, "").expect("the name of a partition");
            tenancies.push(match namespace {
                None => partition_tenancy,
                Some(namespace) => {
                    self.make(resource::<builtin_types::Namespace>(namespace).in_tenancy(partition_tenancy))
                        .await;
                    Tenancy::from_units(partition, namespace).expect("the name of a namespace")
                }
            });
        }
        tenancies
    }

    /// Writes a resource unless it exists.
    async fn make<T: StoredResource>(&self, draft: Draft<T>) {
        let resource = draft.build();
        if self.find(&resource.id, Consistency::Strong).await.expect("the store is asked").is_none() {
            self.write(resource).await.expect("a tenancy is made");
        }
    }
}
