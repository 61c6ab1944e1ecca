//! Reads of many resources.

use std::sync::Arc;

use crate::authorize::{Access, Verb};
use crate::identity::{Group, Kind, TenancyPattern};
use crate::registry::Registration;
use crate::resource::Resource;
use crate::storage::{Consistency, Query};

use super::client::Client;
use super::error::{InvalidArgument, PermissionDenied, ServiceError};
use super::request::List;
use super::tenancy::complete_pattern;

impl Client {
    /// Reads all matching resources that the caller may read, sorted by partition, namespace and name.
    ///
    /// Resources that are stored as another version of the type are left out.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`].
    pub async fn list(&self, list: &List) -> Result<Vec<Arc<Resource>>, ServiceError> {
        let registration = self.service.registration(&list.resource_type)?;
        let Some(tenancy) = &list.tenancy else {
            let resource_type = list.resource_type.clone();
            return Err(InvalidArgument::NoTenancyGiven { resource_type }.into());
        };
        let query = self.query(&registration, list, tenancy)?;
        let mut resources = self.backend().list(&query, list.consistency).await?;
        let types = self.service.types();
        resources.retain(|resource| list.matches(resource) && self.may_read(&types, resource));
        Ok(resources)
    }

    /// Reads all resources of a kind in some tenancies, as far as the caller may read them.
    ///
    /// Its types need not be registered.
    pub(crate) async fn list_kind(
        &self,
        (group, kind): &(Group, Kind),
        tenancy: &TenancyPattern,
    ) -> Result<Vec<Arc<Resource>>, ServiceError> {
        let (group, kind, tenancy) = (group.clone(), kind.clone(), tenancy.clone());
        let query = Query { group, kind, tenancy, name_prefix: String::new() };
        let mut resources = self.backend().list(&query, Consistency::Strong).await?;
        let types = self.service.types();
        resources.retain(|resource| self.may_read(&types, resource));
        Ok(resources)
    }

    /// Returns the store query of a list, if the caller may list at all.
    pub(super) fn query(
        &self,
        registration: &Registration,
        list: &List,
        tenancy: &TenancyPattern,
    ) -> Result<Query, ServiceError> {
        let resource_type = &list.resource_type;
        let tenancy = complete_pattern(registration.scope, resource_type, tenancy, self.defaults())
            .map_err(InvalidArgument::from)?;
        check_prefix(&list.name_prefix)?;
        if self.access_to_list(registration, resource_type, &tenancy) != Access::Allow {
            let (verb, resource_type) = (Verb::List, resource_type.clone());
            return Err(Box::new(PermissionDenied { verb, resource_type, tenancy, name: None }).into());
        }
        Ok(Query::new(resource_type, tenancy).with_prefix(&*list.name_prefix))
    }
}

/// Checks that a name can begin with a prefix, which may end in `-`, unlike a name.
fn check_prefix(prefix: &str) -> Result<(), InvalidArgument> {
    let legal = prefix.len() <= 63
        && !prefix.starts_with('-')
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if legal { Ok(()) } else { Err(InvalidArgument::NamePrefix { prefix: prefix.to_owned() }) }
}
