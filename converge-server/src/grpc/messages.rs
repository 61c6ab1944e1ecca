//! The request and response messages.
//!
//! Resources and their ids are the messages of `converge.resource`.

use converge_controller::{Id, Resource, Status, StoredMessage, StoredOneof, Type};

/// Requests a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ReadRequest {
    /// The id of the resource; without a uid, any resource with this name.
    #[stored(tag = 1)]
    pub(super) id: Option<Id>,
}

/// The stored resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ReadResponse {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// Creates a resource, or replaces its data and metadata.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WriteRequest {
    /// The resource.
    ///
    /// With a version, the write fails if the stored version differs.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// The resource as it was stored.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WriteResponse {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// Writes the status under one key.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WriteStatusRequest {
    /// The id of the resource, with its uid.
    #[stored(tag = 1)]
    pub(super) id: Option<Id>,
    /// The required version of the resource; empty for any.
    #[stored(tag = 2)]
    pub(super) version: String,
    /// The key of the reporter.
    #[stored(tag = 3)]
    pub(super) key: String,
    /// The status.
    #[stored(tag = 4)]
    pub(super) status: Option<Status>,
}

/// The resource with its new status.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WriteStatusResponse {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// A pattern of tenancies.
///
/// An empty unit is the default of the caller, and `*` matches any.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct TenancyPattern {
    /// The partition.
    #[stored(tag = 1)]
    pub(super) partition: String,
    /// The namespace.
    #[stored(tag = 2)]
    pub(super) namespace: String,
}

/// Requests the resources of a type.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListRequest {
    /// The type.
    #[stored(tag = 1)]
    pub(super) r#type: Option<Type>,
    /// The tenancy of the resources.
    ///
    /// Required.
    #[stored(tag = 2)]
    pub(super) tenancy: Option<TenancyPattern>,
    /// The prefix of the names.
    #[stored(tag = 3)]
    pub(super) name_prefix: String,
    /// The metadata selector: `team=web`, `team!=web`, `team in (web,db)`.
    #[stored(tag = 4)]
    pub(super) selector: String,
}

/// The stored resources.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListResponse {
    /// The resources.
    #[stored(tag = 1)]
    pub(super) resources: Vec<Resource>,
}

/// Requests the resources of any type that a resource owns.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListByOwnerRequest {
    /// The owner, with its uid.
    #[stored(tag = 1)]
    pub(super) owner: Option<Id>,
}

/// The owned resources.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListByOwnerResponse {
    /// The resources.
    #[stored(tag = 1)]
    pub(super) resources: Vec<Resource>,
}

/// Deletes a resource, and afterwards the resources that it owns.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct DeleteRequest {
    /// The id of the resource; without a uid, any resource with this name.
    #[stored(tag = 1)]
    pub(super) id: Option<Id>,
    /// The required version; empty for any.
    #[stored(tag = 2)]
    pub(super) version: String,
}

/// The resource is deleted, is marked for deletion, or did not exist.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct DeleteResponse {}

/// Performs all checks of a write without writing.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct MutateAndValidateRequest {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// The resource as it would be stored.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct MutateAndValidateResponse {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// Requests the resources of a type and their changes.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WatchListRequest {
    /// The type.
    #[stored(tag = 1)]
    pub(super) r#type: Option<Type>,
    /// The tenancy of the resources; any tenancy if absent.
    #[stored(tag = 2)]
    pub(super) tenancy: Option<TenancyPattern>,
    /// The prefix of the names.
    #[stored(tag = 3)]
    pub(super) name_prefix: String,
    /// The metadata selector.
    #[stored(tag = 4)]
    pub(super) selector: String,
}

/// A resource exists or has changed.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct Upsert {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// A resource was deleted.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct Deletion {
    /// The last version of the resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// The initial snapshot is complete.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct EndOfSnapshot {}

/// An event of a watch.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WatchEvent {
    /// The event.
    #[stored(oneof(1, 2, 3))]
    pub(super) event: Option<Event>,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, StoredOneof)]
pub(super) enum Event {
    /// A resource exists or has changed.
    #[stored(tag = 1)]
    Upsert(Upsert),
    /// A resource was deleted.
    #[stored(tag = 2)]
    Delete(Deletion),
    /// The initial snapshot is complete.
    #[stored(tag = 3)]
    EndOfSnapshot(EndOfSnapshot),
}
