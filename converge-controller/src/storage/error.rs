//! Why a backend does not do what it is asked for.

use std::error::Error;
use std::sync::Arc;

use crate::identity::{Id, Type, Uid};
use crate::resource::Resource;

use super::lease::Fence;
use super::transaction::{InvalidTransaction, RequirementState};

/// The store cannot be asked, or does not answer as it should. Whether a write that ends so has happened is unknown.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Unavailable {
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Unavailable {
    /// What is wrong, in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// What is wrong, in words, and the error that it came of.
    pub fn because(message: impl Into<String>, source: impl Error + Send + Sync + 'static) -> Self {
        Self { message: message.into(), source: Some(Box::new(source)) }
    }
}

/// A resource cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is none of that name, or it has another uid.
    #[error("there is no resource {id}")]
    NotFound {
        /// What was asked for.
        id: Box<Id>,
    },
    /// It is stored with another version of its group.
    #[error("resource {} was asked for as {requested}, and is stored as {}", .stored.id, .stored.id.resource_type)]
    GroupVersionMismatch {
        /// The type that was asked for.
        requested: Type,
        /// The resource.
        stored: Arc<Resource>,
    },
    /// The store cannot be asked.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A transaction has not happened, no part of it, unless it is [`Unavailable`](CommitError::Unavailable).
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// It can never happen.
    #[error(transparent)]
    Invalid(#[from] InvalidTransaction),
    /// The resource is not in the state that a change says it replaces.
    #[error("resource {id} was changed by somebody else")]
    Conflict {
        /// The resource.
        id: Box<Id>,
    },
    /// The name is that of a resource with another uid.
    #[error("resource {id} has uid {stored}, not the one given")]
    WrongUid {
        /// What was given.
        id: Box<Id>,
        /// The uid of the resource that has the name.
        stored: Uid,
    },
    /// What should be deleted is not there, or has another uid.
    #[error("there is no resource {id} to delete")]
    Gone {
        /// What was given.
        id: Box<Id>,
    },
    /// A resource that the transaction relies on is not as it has to be.
    #[error("resource {id} {}", .state.broken())]
    Requirement {
        /// The resource.
        id: Box<Id>,
        /// What it has to be.
        state: RequirementState,
    },
    /// The lease in whose name the change is made is held by another, or by nobody.
    #[error("the lease {:?} is not held any more", .fence.lease.as_str())]
    Fenced {
        /// What was given.
        fence: Fence,
    },
    /// The store cannot be asked. The transaction may have happened.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
