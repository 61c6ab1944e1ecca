//! Writes of secrets.
//!
//! Secrets are encrypted here, on the path of all listeners, before the service sees them. Hooks, stores,
//! watches, answers and dry runs never contain the value.

use std::sync::Arc;

use converge_controller::service::{InvalidArgument, ServiceError};
use converge_controller::{Id, Resource, StoredResource as _, Tenancy, Typed};

use super::error_response::{Kind, Refusal};
use super::request::RequestContext;
use crate::fleet::types::Secret;
use crate::secret_seal::{SealError, Sealed};

impl RequestContext {
    pub(crate) async fn write(&self, resource: Resource) -> Result<Arc<Resource>, Refusal> {
        if Self::is_definition(&resource.id) {
            return Box::pin(self.define(resource)).await;
        }
        Ok(Box::pin(self.client.write(self.sealed(resource)?)).await?)
    }

    /// Performs all checks of a write without writing.
    pub(crate) async fn mutate_and_validate(&self, resource: Resource) -> Result<Resource, Refusal> {
        if Self::is_definition(&resource.id) {
            return Box::pin(self.would_define(resource)).await;
        }
        Ok(Box::pin(self.client.mutate_and_validate(self.sealed(resource)?)).await?)
    }

    /// Encrypts the value if the resource is a secret, and returns other resources unchanged.
    fn sealed(&self, resource: Resource) -> Result<Resource, Refusal> {
        if resource.id.resource_type != *Secret::resource_type() || resource.data.is_none() {
            return Ok(resource);
        }
        // The service refuses unreadable data with a reason.
        let Ok(mut secret) = Typed::<Secret>::decode(resource.clone()) else { return Ok(resource) };
        let id = self.complete_id(&resource.id);
        if !secret.value.is_empty() {
            Secret::check_value(&secret.value).map_err(|error| {
                let (id, source) = (Box::new(id.clone()), error.into());
                ServiceError::from(InvalidArgument::Invalid { id, source })
            })?;
            let Sealed { key, bytes } = self.seal.seal(&id, &secret.value)?;
            (secret.value, secret.sealed, secret.key) = (String::new(), bytes, key);
        } else if !secret.sealed.is_empty() {
            // Only a ciphertext that this server's keys created for this name can be decrypted.
            self.seal.open(&id, &Sealed { key: secret.key.clone(), bytes: secret.sealed.clone() })?;
        }
        Ok(secret.into_resource())
    }

    /// Completes the tenancy of an id in the same way as the service.
    fn complete_id(&self, id: &Id) -> Id {
        let defaults = self.client.caller().defaults();
        let tenancy = match &id.tenancy {
            Tenancy::Cluster => Tenancy::Namespace(defaults.partition.clone(), defaults.namespace.clone()),
            Tenancy::Partition(partition) => {
                Tenancy::Namespace(partition.clone(), defaults.namespace.clone())
            }
            whole @ Tenancy::Namespace(..) => whole.clone(),
        };
        Id { tenancy, ..id.clone() }
    }
}

impl From<SealError> for Refusal {
    fn from(error: SealError) -> Self {
        let kind = match error {
            SealError::NoKey | SealError::OtherKey => Kind::FailedPrecondition,
            SealError::NotSealed => Kind::InvalidArgument,
            SealError::Random => Kind::Internal,
        };
        Self::new(kind, format!("the secret: {error}"))
    }
}
