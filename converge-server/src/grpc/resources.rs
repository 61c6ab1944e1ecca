//! The unary methods of the resource service.

use std::fmt::Display;
use std::sync::Arc;

use converge_controller::service::{List, ServiceError, StatusUpdate};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Resource, Type, Version};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::messages as m;
use crate::listeners::{Refusal, RequestContext, ResourceQuery};

/// The metadata key for the consistency of a read: `consistent`, or the local snapshot by default.
const CONSISTENCY: &str = "x-converge-consistency-mode";

pub(super) async fn read(
    doors: RequestContext,
    metadata: MetadataMap,
    asked: m::ReadRequest,
) -> Result<m::ReadResponse, Status> {
    let id = required(asked.id, "id")?;
    let resource = doors.read(&id, consistency(&metadata)?).await.map_err(refused)?;
    Ok(m::ReadResponse { resource: Some(Arc::unwrap_or_clone(resource)) })
}

pub(super) async fn write(
    doors: RequestContext,
    _: MetadataMap,
    asked: m::WriteRequest,
) -> Result<m::WriteResponse, Status> {
    let resource = required(asked.resource, "resource")?;
    let resource = doors.write(resource).await?;
    Ok(m::WriteResponse { resource: Some(Arc::unwrap_or_clone(resource)) })
}

pub(super) async fn mutate_and_validate(
    doors: RequestContext,
    _: MetadataMap,
    asked: m::MutateAndValidateRequest,
) -> Result<m::MutateAndValidateResponse, Status> {
    let resource = required(asked.resource, "resource")?;
    let resource = doors.mutate_and_validate(resource).await?;
    Ok(m::MutateAndValidateResponse { resource: Some(resource) })
}

pub(super) async fn write_status(
    doors: RequestContext,
    _: MetadataMap,
    asked: m::WriteStatusRequest,
) -> Result<m::WriteStatusResponse, Status> {
    let update = StatusUpdate {
        id: required(asked.id, "id")?,
        version: version(&asked.version)?,
        key: asked.key.parse().map_err(wrong)?,
        status: required(asked.status, "status")?,
    };
    let resource = doors.write_status(update).await.map_err(refused)?;
    Ok(m::WriteStatusResponse { resource: Some(Arc::unwrap_or_clone(resource)) })
}

pub(super) async fn list(
    doors: RequestContext,
    metadata: MetadataMap,
    asked: m::ListRequest,
) -> Result<m::ListResponse, Status> {
    let m::ListRequest { r#type, tenancy, name_prefix, selector } = asked;
    let list = list_query(&doors, required(r#type, "type")?, tenancy.as_ref(), &name_prefix, &selector)?;
    let resources = doors.client.list(&list.consistency(consistency(&metadata)?)).await.map_err(refused)?;
    Ok(m::ListResponse { resources: owned(resources) })
}

pub(super) async fn list_by_owner(
    doors: RequestContext,
    _: MetadataMap,
    asked: m::ListByOwnerRequest,
) -> Result<m::ListByOwnerResponse, Status> {
    let owner: Id = required(asked.owner, "owner")?;
    let resources = doors.client.list_by_owner(&owner).await.map_err(refused)?;
    Ok(m::ListByOwnerResponse { resources: owned(resources) })
}

pub(super) async fn delete(
    doors: RequestContext,
    _: MetadataMap,
    asked: m::DeleteRequest,
) -> Result<m::DeleteResponse, Status> {
    let (id, version) = (required(asked.id, "id")?, version(&asked.version)?);
    doors.delete(&id, version.as_ref()).await?;
    Ok(m::DeleteResponse {})
}

/// Parses a list query; without a tenancy it matches any.
pub(super) fn list_query(
    doors: &RequestContext,
    resource_type: Type,
    tenancy: Option<&m::TenancyPattern>,
    name_prefix: &str,
    selector: &str,
) -> Result<List, Status> {
    let units = tenancy.map_or(("", ""), |tenancy| (tenancy.partition.as_str(), tenancy.namespace.as_str()));
    let filter = ResourceQuery { partition: units.0, namespace: units.1, name_prefix, selector };
    let list = match tenancy {
        Some(_) => filter.list(resource_type, doors.client.caller().defaults()),
        None => filter.list_any(resource_type),
    };
    Ok(list?)
}

/// Returns a required value, or an error that names the missing field.
pub(super) fn required<T>(value: Option<T>, name: &str) -> Result<T, Status> {
    value.ok_or_else(|| Refusal::invalid(format!("{name} is missing")).into())
}

fn version(text: &str) -> Result<Option<Version>, Status> {
    (!text.is_empty()).then(|| text.parse()).transpose().map_err(wrong)
}

fn consistency(metadata: &MetadataMap) -> Result<Consistency, Status> {
    match metadata.get(CONSISTENCY).map(|value| value.to_str().unwrap_or_default()) {
        None | Some("default") => Ok(Consistency::Eventual),
        Some("consistent") => Ok(Consistency::Strong),
        Some(other) => Err(wrong(format!("{CONSISTENCY} is {other:?}, and must be consistent or default"))),
    }
}

fn refused(error: ServiceError) -> Status {
    Refusal::from(error).into()
}

fn wrong(error: impl Display) -> Status {
    Refusal::wrong(error).into()
}

fn owned(resources: Vec<Arc<Resource>>) -> Vec<Resource> {
    resources.into_iter().map(Arc::unwrap_or_clone).collect()
}
