//! Errors of stores.

use std::error::Error;
use std::sync::Arc;

use crate::debug_as_text;
use crate::identity::{Id, Type, Uid};
use crate::resource::Resource;

use super::lease::Fence;
use super::transaction::{InvalidTransaction, RequirementState};

/// The store cannot be reached, or fails.
///
/// A write with this error may or may not have happened.
#[derive(thiserror::Error)]
#[error("{message}")]
pub struct Unavailable {
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

debug_as_text!(Unavailable);

impl Unavailable {
    /// Creates an error with a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Creates an error with a message and its cause.
    pub fn because(message: impl Into<String>, source: impl Error + Send + Sync + 'static) -> Self {
        Self { message: message.into(), source: Some(Box::new(source)) }
    }
}

/// The reason why a resource cannot be read.
#[derive(thiserror::Error)]
pub enum ReadError {
    /// No resource has the name, or it has another uid.
    #[error("there is no resource {id}")]
    NotFound {
        /// The requested identity.
        id: Box<Id>,
    },
    /// The resource is stored as another version of its type.
    #[error("resource {} was asked for as {requested}, and is stored as {}", .stored.id, .stored.id.resource_type)]
    GroupVersionMismatch {
        /// The requested type.
        requested: Type,
        /// The stored resource.
        stored: Arc<Resource>,
    },
    /// The store is unavailable.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

debug_as_text!(ReadError);

/// The reason why a transaction failed.
///
/// No part of it has happened, unless the error is [`Unavailable`](CommitError::Unavailable).
#[derive(thiserror::Error)]
pub enum CommitError {
    /// The transaction can never succeed.
    #[error(transparent)]
    Invalid(#[from] InvalidTransaction),
    /// The stored state is not the one that a change replaces.
    #[error("resource {id} was changed by somebody else")]
    Conflict {
        /// The resource.
        id: Box<Id>,
    },
    /// The resource with this name has another uid.
    #[error("resource {id} has uid {stored}, not the one given")]
    WrongUid {
        /// The given identity.
        id: Box<Id>,
        /// The uid of the stored resource.
        stored: Uid,
    },
    /// The resource to delete does not exist, or has another uid.
    #[error("there is no resource {id} to delete")]
    Gone {
        /// The given identity.
        id: Box<Id>,
    },
    /// A resource does not meet a requirement of the transaction.
    #[error("resource {id} {}", .state.violation())]
    Requirement {
        /// The resource.
        id: Box<Id>,
        /// The required state.
        state: RequirementState,
    },
    /// The lease that protects the transaction is held by another, or by nobody.
    #[error("the lease {:?} is no longer held", .fence.lease.as_str())]
    Fenced {
        /// The given fence.
        fence: Fence,
    },
    /// The store is unavailable. The transaction may have happened.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

debug_as_text!(CommitError);
