//! Why the service refuses.

use std::fmt;

use crate::authorize::Verb;
use crate::identity::{Id, Name, ScopeError, TenancyPattern, Type, Uid, Unit};
use crate::registry::Cause;
use crate::storage::{InvalidTransaction, ReadError, Unavailable, WatchClosed};

/// What a refusal means to whoever asked. Doors have one table from these to their own codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// What was asked is wrong, whatever there is. To ask again is no use.
    InvalidArgument,
    /// There is no such resource.
    NotFound,
    /// Somebody else was quicker. Read again, and ask again.
    Aborted,
    /// What was asked does not fit what there is.
    FailedPrecondition,
    /// The caller may not.
    PermissionDenied,
    /// The store cannot be asked now. Ask again later.
    Unavailable,
    /// A hook of the type has a mistake, or the service itself.
    Internal,
}

/// The service refuses.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// What was asked is wrong.
    #[error(transparent)]
    InvalidArgument(#[from] InvalidArgument),
    /// There is no such resource.
    #[error("there is no resource {id}")]
    NotFound {
        /// What was asked for.
        id: Box<Id>,
    },
    /// Somebody else was quicker.
    #[error(transparent)]
    Aborted(#[from] Aborted),
    /// What was asked does not fit what there is.
    #[error(transparent)]
    FailedPrecondition(#[from] FailedPrecondition),
    /// The caller may not.
    #[error(transparent)]
    PermissionDenied(#[from] Box<PermissionDenied>),
    /// The store cannot be asked.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The store refuses what it was asked for, whatever it has: the resource is larger than it can keep; or the service has a
    /// mistake, or the store a resource without uid, which no service writes.
    #[error(transparent)]
    Transaction(#[from] InvalidTransaction),
    /// A hook of a type has panicked, which is its mistake and nobody else's: what else is asked is answered.
    #[error("the hook {hook} of {} panicked over {id}: {message}", .id.resource_type)]
    HookPanicked {
        /// The resource.
        id: Box<Id>,
        /// What it was asked for.
        hook: &'static str,
        /// What the panic said.
        message: String,
    },
    /// The hook that fills in defaults has failed.
    #[error("the type of {id} cannot fill in its defaults: {source}")]
    Mutate {
        /// The resource.
        id: Box<Id>,
        /// What the hook says.
        source: Cause,
    },
}

impl ServiceError {
    /// What it means to whoever asked.
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

/// The caller may not. It says what was asked for, and nothing of what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the caller may not {verb} {}: its token needs a rule for {verb} of {resource_type} in {}, and the type may ask for more",
    AskedFor(.resource_type, .tenancy, .name.as_ref()), Place(.tenancy)
)]
pub struct PermissionDenied {
    /// What it wanted to do.
    pub verb: Verb,
    /// To resources of which type.
    pub resource_type: Type,
    /// Of which tenancy.
    pub tenancy: TenancyPattern,
    /// Of which name; a list has none.
    pub name: Option<Name>,
}

/// A resource, or all of a tenancy.
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

/// The tenancy in which a rule has to allow something.
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

/// Somebody else was quicker.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Aborted {
    /// The resource is in another state than the version that was given.
    #[error("CAS operation failed: {id} was changed by somebody else; read it again, and write it again")]
    Conflict {
        /// The resource.
        id: Box<Id>,
    },
    /// The watch has ended.
    #[error(transparent)]
    WatchClosed(#[from] WatchClosed),
}

/// What was asked does not fit what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailedPrecondition {
    /// The name is that of a resource with another uid.
    #[error("{id} has uid {stored}, not {}: it is another resource of that name", uid(.id))]
    WrongUid {
        /// What was given.
        id: Box<Id>,
        /// The uid of the resource that has the name.
        stored: Uid,
    },
    /// The resource with the uid is gone.
    #[error("{id} with uid {} is gone: leave out the uid to create another one of that name", uid(.id))]
    Gone {
        /// What was given.
        id: Box<Id>,
    },
    /// It is one of those without which nothing works.
    #[error("{id} is always there and cannot be deleted")]
    Protected {
        /// The resource.
        id: Box<Id>,
    },
    /// The client works in the name of a lease that it does not have any more.
    #[error(
        "nothing was written: the lease in whose name it would be is not held any more, and whoever holds it goes on"
    )]
    LeaseLost,
}

fn uid(id: &Id) -> String {
    id.uid.map(|uid| uid.to_string()).unwrap_or_default()
}

/// What was asked is wrong.
#[derive(Debug, thiserror::Error)]
pub enum InvalidArgument {
    /// Nobody registered the type.
    #[error("resource type {resource_type} not registered{}", Registered(.others))]
    TypeNotRegistered {
        /// The type.
        resource_type: Type,
        /// The other versions of its group that are.
        others: Vec<Type>,
    },
    /// The tenancy does not fit the type.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A list does not say of which tenancy.
    #[error("a list of {resource_type} has to say of which tenancy; * is any")]
    NoTenancyGiven {
        /// The type.
        resource_type: Type,
    },
    /// No name can begin so.
    #[error("no name begins with {prefix:?}: names have a-z, 0-9 and -, and begin with a letter or a digit")]
    NamePrefix {
        /// The prefix.
        prefix: String,
    },
    /// The uid is needed here.
    #[error("the uid of {id} is needed, so that no other resource of that name can be meant")]
    NoUid {
        /// The resource.
        id: Box<Id>,
    },
    /// The data are a message of another type.
    #[error("the data of {id} have to be {expected}, got {got:?}")]
    OtherData {
        /// The resource.
        id: Box<Id>,
        /// The message of its type.
        expected: String,
        /// What the data say that they are.
        got: String,
    },
    /// The data are no message of the type.
    #[error("the data of {id} cannot be read: {source}")]
    Data {
        /// The resource.
        id: Box<Id>,
        /// What is wrong with them.
        source: Cause,
    },
    /// The type refuses the resource.
    #[error("{id} is not valid: {source}")]
    Invalid {
        /// The resource.
        id: Box<Id>,
        /// What the type says.
        source: Cause,
    },
    /// It is stored with another version of its group.
    #[error("{id} was asked for as {requested}, and is stored as {stored}: ask for that")]
    GroupVersion {
        /// What was asked for.
        id: Box<Id>,
        /// The type that was asked for.
        requested: Type,
        /// The type that it is stored as.
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
    /// A part of a status is wrong.
    #[error("{path} {problem}")]
    Status {
        /// Where: `status.conditions[0].type`.
        path: String,
        /// What is wrong there.
        problem: &'static str,
    },
    /// The mark for deletion is not as it has to be.
    #[error("{id} {problem}")]
    Mark {
        /// The resource.
        id: Box<Id>,
        /// What is wrong.
        problem: MarkProblem,
    },
    /// The owner is not as it has to be.
    #[error("resource.owner {}: {problem}", OwnerShown(.owner.as_deref()))]
    Owner {
        /// The owner that was given, if any.
        owner: Option<Box<Id>>,
        /// What is wrong.
        problem: OwnerProblem,
    },
    /// The partition or namespace does not exist.
    #[error("{unit} {:?} does not exist: create {id} first", .id.name.as_str())]
    NoSuchTenancy {
        /// Which of both.
        unit: Unit,
        /// The resource that stands for it.
        id: Box<Id>,
    },
    /// What says that there is the type is gone, or marked for deletion.
    #[error(
        "{resource_type} is about to go: {definition} is being deleted, or was, so nothing of the type can be created"
    )]
    TypeGoes {
        /// The type.
        resource_type: Box<Type>,
        /// What said that there is the type.
        definition: Box<Id>,
    },
    /// The partition or namespace is marked for deletion.
    #[error("{unit} {:?} is being deleted: nothing can be created or changed in it until {id} is made anew", .id.name.as_str())]
    TenancyGoes {
        /// Which of both.
        unit: Unit,
        /// The resource that stands for it.
        id: Box<Id>,
    },
}

/// What is wrong with the mark for deletion, or with what is done to a resource that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkProblem {
    /// A resource is created with it.
    #[error("cannot be created with a deletionTimestamp: leave it out")]
    OnCreation,
    /// Somebody marks a resource that nobody has to finalize.
    #[error("has no finalizers, so that a deletionTimestamp would never end: use delete")]
    WithoutFinalizers,
    /// Somebody marks a resource, and changes its notes or finalizers.
    #[error(
        "is marked for deletion by this write, which cannot modify metadata beside that: change it first, or use delete"
    )]
    WithMetadata,
    /// Somebody marks a resource, and changes its data.
    #[error(
        "is marked for deletion by this write, which cannot modify data: change them first, or use delete"
    )]
    WithData,
    /// The mark is taken away.
    #[error("is marked for deletion: cannot remove deletionTimestamp, as no deletion is taken back")]
    Removed,
    /// The mark is changed.
    #[error("is marked for deletion: cannot modify deletionTimestamp; leave it as it was read")]
    Changed,
    /// Nothing is changed.
    #[error(
        "cannot no-op write resource marked for deletion: all that can be written is that a finalizer is removed"
    )]
    NoChange,
    /// A finalizer is added, or replaced.
    #[error("is marked for deletion: expected at least one finalizer to be removed, and none added")]
    FinalizerAdded,
    /// The notes are changed.
    #[error(
        "is marked for deletion: cannot modify metadata; all that can be written is that a finalizer is removed"
    )]
    FrozenMetadata,
    /// The data are changed.
    #[error(
        "is marked for deletion: cannot modify data; all that can be written is that a finalizer is removed"
    )]
    FrozenData,
}

/// What is wrong with an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnerProblem {
    /// There is none such.
    #[error("does not exist: create it first, or leave its uid out if it was made anew")]
    Missing,
    /// It is another one than the resource has had from the start.
    #[error("the owner cannot be changed: delete the resource, and create it with the other one")]
    Changed,
    /// It is the resource itself.
    #[error("a resource cannot own itself")]
    Itself,
    /// It is of a part of the cluster that the resource is not in.
    #[error("an owner has the tenancy of what it owns, or a wider one")]
    Tenancy,
}

/// Other versions of a type, as far as there are any.
struct Registered<'a>(&'a [Type]);

impl fmt::Display for Registered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(", in no version: its package has to be registered with the service");
        }
        f.write_str(": ask for it as ")?;
        for (at, other) in self.0.iter().enumerate() {
            write!(f, "{}{other}", if at == 0 { "" } else { " or " })?;
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
