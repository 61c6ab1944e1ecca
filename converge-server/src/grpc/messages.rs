//! What is asked and answered. Resources and what finds them are the messages of `converge.resource`.

use converge_controller::{Id, Resource, Status, StoredMessage, StoredOneof, Type};

/// Asks for a resource.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ReadRequest {
    /// Which one; without a uid whichever has the name.
    #[stored(tag = 1)]
    pub(super) id: Option<Id>,
}

/// A resource, as it is stored.
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
    /// The resource. With a version it is written only if it is in that state.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// A resource, as it has been stored.
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
    /// Whose status it is, with its uid.
    #[stored(tag = 1)]
    pub(super) id: Option<Id>,
    /// The state that the resource has to be in; empty for any.
    #[stored(tag = 2)]
    pub(super) version: String,
    /// Who reports it.
    #[stored(tag = 3)]
    pub(super) key: String,
    /// What is reported.
    #[stored(tag = 4)]
    pub(super) status: Option<Status>,
}

/// A resource with its new status.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WriteStatusResponse {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// Whose resources are meant. An empty unit is the default one, and `*` is any.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct TenancyPattern {
    /// The larger unit.
    #[stored(tag = 1)]
    pub(super) partition: String,
    /// The smaller unit.
    #[stored(tag = 2)]
    pub(super) namespace: String,
}

/// Asks for resources of a type.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListRequest {
    /// The type.
    #[stored(tag = 1)]
    pub(super) r#type: Option<Type>,
    /// Whose they are. It has to be said.
    #[stored(tag = 2)]
    pub(super) tenancy: Option<TenancyPattern>,
    /// What their names begin with.
    #[stored(tag = 3)]
    pub(super) name_prefix: String,
    /// What is noted about them: `team=web`, `team!=web`, `team in (web,db)`.
    #[stored(tag = 4)]
    pub(super) selector: String,
}

/// Resources, as they are stored.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListResponse {
    /// The resources.
    #[stored(tag = 1)]
    pub(super) resources: Vec<Resource>,
}

/// Asks for what a resource owns, of any type.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListByOwnerRequest {
    /// The owner, with its uid.
    #[stored(tag = 1)]
    pub(super) owner: Option<Id>,
}

/// What a resource owns.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct ListByOwnerResponse {
    /// The resources.
    #[stored(tag = 1)]
    pub(super) resources: Vec<Resource>,
}

/// Deletes a resource, and in time what it owns.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct DeleteRequest {
    /// Which one; without a uid whichever has the name.
    #[stored(tag = 1)]
    pub(super) id: Option<Id>,
    /// The state that it has to be in; empty for any.
    #[stored(tag = 2)]
    pub(super) version: String,
}

/// That it is gone, or marked for deletion, or was not there.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct DeleteResponse {}

/// Checks all that a write checks, and writes nothing.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct MutateAndValidateRequest {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// A resource, as it would be stored.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct MutateAndValidateResponse {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// Asks for resources of a type, and for their changes as they come.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WatchListRequest {
    /// The type.
    #[stored(tag = 1)]
    pub(super) r#type: Option<Type>,
    /// Whose they are; anybody's, if it is not said.
    #[stored(tag = 2)]
    pub(super) tenancy: Option<TenancyPattern>,
    /// What their names begin with.
    #[stored(tag = 3)]
    pub(super) name_prefix: String,
    /// What is noted about them.
    #[stored(tag = 4)]
    pub(super) selector: String,
}

/// A resource is there, or has changed.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct Upsert {
    /// The resource.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// A resource is gone.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct Deletion {
    /// What it was last.
    #[stored(tag = 1)]
    pub(super) resource: Option<Resource>,
}

/// All that was there has been told.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct EndOfSnapshot {}

/// A change of what is watched.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(super) struct WatchEvent {
    /// One of these.
    #[stored(oneof(1, 2, 3))]
    pub(super) event: Option<Event>,
}

/// What has happened.
#[derive(Clone, Debug, PartialEq, StoredOneof)]
pub(super) enum Event {
    /// A resource is there, or has changed.
    #[stored(tag = 1)]
    Upsert(Upsert),
    /// A resource is gone.
    #[stored(tag = 2)]
    Delete(Deletion),
    /// All that was there has been told.
    #[stored(tag = 3)]
    EndOfSnapshot(EndOfSnapshot),
}
