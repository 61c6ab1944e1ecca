//! Tenancies to test in.

use crate::builtin_types;
use crate::identity::{Scope, Tenancy};
use crate::registry::StoredResource;
use crate::storage::Consistency;

use super::client::TestClient;
use super::resource_builder::{Draft, resource};

impl TestClient {
    /// Tenancies for resources of a type: the default one and, where a type has partitions or namespaces, others, which
    /// are made unless they are there. What a test does in one should come to the same in each.
    ///
    /// # Panics
    ///
    /// The service refuses to make one.
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
            let of = Tenancy::from_units(partition, "").expect("the name of a partition");
            tenancies.push(match namespace {
                None => of,
                Some(namespace) => {
                    self.make(resource::<builtin_types::Namespace>(namespace).in_tenancy(of)).await;
                    Tenancy::from_units(partition, namespace).expect("the name of a namespace")
                }
            });
        }
        tenancies
    }

    /// Writes a resource unless it is there.
    async fn make<T: StoredResource>(&self, draft: Draft<T>) {
        let resource = draft.build();
        if self.find(&resource.id, Consistency::Strong).await.expect("the store is asked").is_none() {
            self.write(resource).await.expect("a tenancy is made");
        }
    }
}
