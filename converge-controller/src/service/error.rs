//! Errors of the service.

use std::fmt;

use crate::authorize::Verb;
use crate::debug_as_text;
use crate::identity::{Id, Name, ScopeError, TenancyPattern, Type, Uid, Unit};
use crate::registry::Cause;
use crate::storage::{InvalidTransaction, ReadError, Unavailable, WatchClosed};

/// The meaning of an error for the caller.
///
/// Listeners map these kinds to their own codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// The request is wrong, whatever is stored. A retry is useless.
    InvalidArgument,
    /// The resource does not exist.
    NotFound,
    /// A concurrent write was first. Read again, and retry.
    Aborted,
    /// The request does not fit the stored state.
    FailedPrecondition,
    /// The caller lacks the permission.
    PermissionDenied,
    /// The store is unavailable. Retry later.
    Unavailable,
    /// A hook of the type or the service has a defect.
    Internal,
}

/// The reason why the service refuses a request.
#[derive(thiserror::Error)]
pub enum ServiceError {
    /// The request is wrong.
    #[error(transparent)]
    InvalidArgument(#[from] InvalidArgument),
    /// The resource does not exist.
    #[error("there is no resource {id}")]
    NotFound {
        /// The requested identity.
        id: Box<Id>,
    },
    /// A concurrent write was first.
    #[error(transparent)]
    Aborted(#[from] Aborted),
    /// The request does not fit the stored state.
    #[error(transparent)]
    FailedPrecondition(#[from] FailedPrecondition),
    /// The caller lacks the permission.
    #[error(transparent)]
    PermissionDenied(#[from] Box<PermissionDenied>),
    /// The store is unavailable.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The store refuses the transaction, whatever is stored.
    ///
    /// The resource is larger than the store allows. Otherwise the service has a defect, or the store
    /// contains a resource without uid, which no service writes.
    #[error(transparent)]
    Transaction(#[from] InvalidTransaction),
    /// A hook of a type panicked. Other requests are not affected.
    #[error("the hook {hook} of {} panicked over {id}: {message}", .id.resource_type)]
    HookPanicked {
        /// The resource.
        id: Box<Id>,
        /// The purpose of the hook.
        hook: &'static str,
        /// The message of the panic.
        message: String,
    },
    /// The hook that fills in defaults failed.
    #[error("the type of {id} cannot fill in its defaults: {source}")]
    Mutate {
        /// The resource.
        id: Box<Id>,
        /// The error of the hook.
        source: Cause,
    },
}

debug_as_text!(ServiceError);

impl ServiceError {
    /// Returns the meaning of the error for the caller.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidArgument(_) | Self::Transaction(InvalidTransaction::TooLarge { .. }) => {
                ErrorKind::InvalidArgument
            }
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Aborted(_) => ErrorKind::Aborted,
            Self::FailedPrecondition(_) => ErrorKind::FailedPrecondition,
            Self::PermissionDenied(_) => ErrorKind::PermissionDenied,
            Self::Unavailable(_) => ErrorKind::Unavailable,
            Self::HookPanicked { .. } | Self::Mutate { .. } | Self::Transaction(_) => ErrorKind::Internal,
        }
    }
}

/// A denied request.
///
/// It names only what was requested, and nothing that is stored.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the caller may not {verb} {}: its token needs a rule for {verb} of {resource_type} in {}, and the type may ask for more",
    AskedFor(.resource_type, .tenancy, .name.as_ref()), Place(.tenancy)
)]
pub struct PermissionDenied {
    /// The operation.
    pub verb: Verb,
    /// The type of the resources.
    pub resource_type: Type,
    /// The tenancy of the resources.
    pub tenancy: TenancyPattern,
    /// The name of the resource; `None` for a list.
    pub name: Option<Name>,
}

debug_as_text!(PermissionDenied);

/// A requested resource, or all resources of a tenancy.
struct AskedFor<'a>(&'a Type, &'a TenancyPattern, Option<&'a Name>);

impl fmt::Display for AskedFor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(resource_type, tenancy, name) = self;
        write!(f, "{resource_type}")?;
        for unit in tenancy.units().into_iter().flatten() {
            write!(f, "/{unit}")?;
        }
        name.map_or(Ok(()), |name| write!(f, "/{name}"))
    }
}

/// The tenancy for which a rule has to allow the operation.
struct Place<'a>(&'a TenancyPattern);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.units() {
            [Some(partition), Some(namespace)] => write!(f, "namespace {partition}/{namespace}"),
            [Some(partition), None] => write!(f, "partition {partition}"),
            [None, _] => f.write_str("the cluster"),
        }
    }
}

/// A concurrent write was first.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum Aborted {
    /// The stored resource has a version other than the given one.
    #[error("CAS operation failed: {id} was changed by somebody else; read it again, and write it again")]
    Conflict {
        /// The resource.
        id: Box<Id>,
    },
    /// The watch has ended.
    #[error(transparent)]
    WatchClosed(#[from] WatchClosed),
}

debug_as_text!(Aborted);

/// A request that does not fit the stored state.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum FailedPrecondition {
    /// The resource with this name has another uid.
    #[error("{id} has uid {stored}, not {}: it is another resource of that name", uid(.id))]
    WrongUid {
        /// The given identity.
        id: Box<Id>,
        /// The uid of the stored resource.
        stored: Uid,
    },
    /// The resource with the uid was deleted.
    #[error("{id} with uid {} is gone: leave out the uid to create another one of that name", uid(.id))]
    Gone {
        /// The given identity.
        id: Box<Id>,
    },
    /// The resource is a default one, which cannot be deleted.
    #[error("{id} is built in and cannot be deleted")]
    Protected {
        /// The resource.
        id: Box<Id>,
    },
    /// The client has lost the lease that its writes require.
    #[error("nothing was written: this server no longer holds the lease for the write")]
    LeaseLost,
}

debug_as_text!(FailedPrecondition);

fn uid(id: &Id) -> String {
    id.uid.map(|uid| uid.to_string()).unwrap_or_default()
}

/// A wrong request.
#[derive(thiserror::Error)]
pub enum InvalidArgument {
    /// The type is not registered.
    #[error("resource type {resource_type} not registered{}", Registered(.others))]
    TypeNotRegistered {
        /// The type.
        resource_type: Type,
        /// The registered versions of the type.
        others: Vec<Type>,
    },
    /// The tenancy does not fit the scope of the type.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A list names no tenancy.
    #[error("a list of {resource_type} needs a tenancy; * means any")]
    NoTenancyGiven {
        /// The type.
        resource_type: Type,
    },
    /// No name can begin with the prefix.
    #[error("no name begins with {prefix:?}: names have a-z, 0-9 and -, and begin with a letter or a digit")]
    NamePrefix {
        /// The prefix.
        prefix: String,
    },
    /// The request requires a uid.
    #[error("the uid of {id} is required, so that a later resource of that name is not affected")]
    NoUid {
        /// The resource.
        id: Box<Id>,
    },
    /// The data are a message of another type.
    #[error("the data of {id} have to be {expected}, got {got:?}")]
    OtherData {
        /// The resource.
        id: Box<Id>,
        /// The message of the resource type.
        expected: String,
        /// The message named in the data.
        got: String,
    },
    /// The data are not a valid message of the type.
    #[error("the data of {id} cannot be read: {source}")]
    Data {
        /// The resource.
        id: Box<Id>,
        /// The reason.
        source: Cause,
    },
    /// The validate hook of the type refuses the resource.
    #[error("{id} is not valid: {source}")]
    Invalid {
        /// The resource.
        id: Box<Id>,
        /// The error of the hook.
        source: Cause,
    },
    /// The resource is stored as another version of the type.
    #[error("{id} was asked for as {requested}, and is stored as {stored}: ask for that")]
    GroupVersion {
        /// The requested identity.
        id: Box<Id>,
        /// The requested type.
        requested: Type,
        /// The stored type.
        stored: Type,
    },
    /// A write would change a status.
    #[error(
        "the status of {id} can only be set by write_status: leave it out, or give it back as it was read"
    )]
    StatusByWrite {
        /// The resource.
        id: Box<Id>,
    },
    /// A part of a status is invalid.
    #[error("{path} {problem}")]
    Status {
        /// The path of the part: `status.conditions[0].type`.
        path: String,
        /// The problem.
        problem: &'static str,
    },
    /// The deletion mark is invalid.
    #[error("{id} {problem}")]
    Mark {
        /// The resource.
        id: Box<Id>,
        /// The problem.
        problem: MarkProblem,
    },
    /// The owner is invalid.
    #[error("resource.owner {}: {problem}", OwnerShown(.owner.as_deref()))]
    Owner {
        /// The given owner, if any.
        owner: Option<Box<Id>>,
        /// The problem.
        problem: OwnerProblem,
    },
    /// The partition or namespace does not exist.
    #[error("{unit} {:?} does not exist: create {id} first", .id.name.as_str())]
    NoSuchTenancy {
        /// The kind of unit.
        unit: Unit,
        /// The resource of the unit.
        id: Box<Id>,
    },
    /// The definition of the type was deleted, or is marked for deletion.
    #[error("{resource_type} cannot be created: its definition {definition} is being deleted or was deleted")]
    TypeGoes {
        /// The type.
        resource_type: Box<Type>,
        /// The definition of the type.
        definition: Box<Id>,
    },
    /// The partition or namespace is marked for deletion.
    #[error("{unit} {:?} is being deleted: nothing can be created or changed in it until {id} is created again", .id.name.as_str())]
    TenancyGoes {
        /// The kind of unit.
        unit: Unit,
        /// The resource of the unit.
        id: Box<Id>,
    },
}

debug_as_text!(InvalidArgument);

/// A problem of the deletion mark, or of a write to a marked resource.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MarkProblem {
    /// A new resource has the mark.
    #[error("cannot be created with a deletionTimestamp: leave it out")]
    OnCreation,
    /// The write marks a resource that has no finalizers.
    #[error("has no finalizers, so that a deletionTimestamp would never end: use delete")]
    WithoutFinalizers,
    /// The write marks a resource, and changes its notes or finalizers.
    #[error(
        "is marked for deletion by this write, which cannot modify metadata beside that: change it first, or use delete"
    )]
    WithMetadata,
    /// The write marks a resource, and changes its data.
    #[error(
        "is marked for deletion by this write, which cannot modify data: change them first, or use delete"
    )]
    WithData,
    /// The write removes the mark.
    #[error("is marked for deletion: cannot remove deletionTimestamp, because a deletion cannot be undone")]
    Removed,
    /// The write changes the mark.
    #[error("is marked for deletion: cannot modify deletionTimestamp; leave it as it was read")]
    Changed,
    /// The write changes nothing.
    #[error(
        "cannot no-op write resource marked for deletion: all that can be written is that a finalizer is removed"
    )]
    NoChange,
    /// The write adds or replaces a finalizer.
    #[error("is marked for deletion: expected at least one finalizer to be removed, and none added")]
    FinalizerAdded,
    /// The write changes the notes.
    #[error(
        "is marked for deletion: cannot modify metadata; all that can be written is that a finalizer is removed"
    )]
    FrozenMetadata,
    /// The write changes the data.
    #[error(
        "is marked for deletion: cannot modify data; all that can be written is that a finalizer is removed"
    )]
    FrozenData,
}

debug_as_text!(MarkProblem);

/// A problem of an owner.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OwnerProblem {
    /// The owner does not exist.
    #[error("does not exist: create it first, or leave its uid out if it was created again")]
    Missing,
    /// The owner differs from the original one.
    #[error("the owner cannot be changed: delete the resource, and create it with the other one")]
    Changed,
    /// The resource is its own owner.
    #[error("a resource cannot own itself")]
    Itself,
    /// The owner belongs to a part of the cluster that the resource is not in.
    #[error("an owner has the tenancy of what it owns, or a wider one")]
    Tenancy,
}

debug_as_text!(OwnerProblem);

/// The registered versions of a type, for messages.
struct Registered<'a>(&'a [Type]);

impl fmt::Display for Registered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(", in no version: its package has to be registered with the service");
        }
        f.write_str(": ask for it as ")?;
        for (index, resource_type) in self.0.iter().enumerate() {
            write!(f, "{}{resource_type}", if index == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

struct OwnerShown<'a>(Option<&'a Id>);

impl fmt::Display for OwnerShown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(id) => write!(f, "{id}"),
            None => f.write_str("is absent"),
        }
    }
}

impl From<ReadError> for ServiceError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound { id } => Self::NotFound { id },
            ReadError::GroupVersionMismatch { requested, stored } => InvalidArgument::GroupVersion {
                id: Box::new(stored.id.clone()),
                requested,
                stored: stored.id.resource_type.clone(),
            }
            .into(),
            ReadError::Unavailable(unavailable) => Self::Unavailable(unavailable),
        }
    }
}
