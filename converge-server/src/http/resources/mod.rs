//! The routes to read, write, list, watch and delete resources.

mod request_params;
#[cfg(test)]
mod tests;
mod watch;
mod write_body;

use std::mem;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use converge_controller::service::{List, StatusUpdate};
use converge_controller::{Resource, Status, StatusKey};
use serde_json::Value;

use super::body::Body;
use crate::json;
use crate::listeners::{ListenerState, Refusal, RequestContext};
use request_params::{Asked, ListQuery, One, OneQuery, Query, StatusPath, TypePath};
use write_body::Draft;

pub(super) fn routes() -> Router<ListenerState> {
    Router::new()
        .route("/{group}/{version}/{kind}", get(list))
        .route("/{group}/{version}/{kind}/{name}", get(read).put(write).delete(delete))
        .route("/{group}/{version}/{kind}/{name}/status/{key}", put(write_status))
}

/// Handles `GET` of one resource.
async fn read(
    doors: RequestContext,
    Path(one): Path<One>,
    Query(query): Query<OneQuery>,
) -> Result<Json<Value>, Refusal> {
    let Asked { id, consistency, .. } = query.asked(&doors, &one)?;
    let resource = doors.read(&id, consistency).await?;
    Ok(Json(doors.codec().encode(&resource)?))
}

/// Handles `PUT` of one resource.
///
/// The answer is the resource as stored, or with `dry_run` as it would be stored.
async fn write(
    doors: RequestContext,
    Path(one): Path<One>,
    Query(mut query): Query<OneQuery>,
    Body(draft): Body<Draft>,
) -> Result<Json<Value>, Refusal> {
    let dry_run = mem::take(&mut query.dry_run);
    let target = query.asked(&doors, &one)?;
    let resource: Resource = draft.resource(&doors.codec(), target)?;
    if dry_run {
        let planned = doors.mutate_and_validate(resource).await?;
        return Ok(Json(doors.codec().encode(&planned)?));
    }
    let stored = doors.write(resource).await?;
    Ok(Json(doors.codec().encode(&stored)?))
}

/// Handles `DELETE` of one resource.
///
/// A missing resource is no error.
async fn delete(
    doors: RequestContext,
    Path(one): Path<One>,
    Query(query): Query<OneQuery>,
) -> Result<StatusCode, Refusal> {
    let Asked { id, version, .. } = query.asked(&doors, &one)?;
    doors.delete(&id, version.as_ref()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Handles `PUT` of the status under one key.
async fn write_status(
    doors: RequestContext,
    Path(path): Path<StatusPath>,
    Query(query): Query<OneQuery>,
    Body(status): Body<Status>,
) -> Result<Json<Value>, Refusal> {
    let Asked { id, version, .. } = query.asked(&doors, &path.one)?;
    let key: StatusKey = path.key.parse().map_err(Refusal::wrong)?;
    let stored = doors.write_status(StatusUpdate { id, version, key, status }).await?;
    Ok(Json(doors.codec().encode(&stored)?))
}

/// Handles `GET` of all resources of a type, as a list or a watch.
async fn list(
    doors: RequestContext,
    Path(path): Path<TypePath>,
    Query(query): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let list: List = query.list(&doors, &path)?;
    if query.watch {
        return Ok(watch::events(doors, list).await?.into_response());
    }
    let resources = doors.client.list(&list).await?;
    let codec = doors.codec();
    let values: Result<Vec<Value>, _> = resources.iter().map(|resource| codec.encode(resource)).collect();
    Ok(Json(json::list(values?)).into_response())
}
