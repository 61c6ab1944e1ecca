//! Authorization: which caller may do what.
//!
//! A [`Caller`] makes a request to the service, and its [`Authorizer`] decides whether the caller may. A
//! [`Policy`] maps tokens to callers and their permissions. The default question is whether the caller may do
//! this to resources of this type, tenancy and name. A resource type can have a hook that asks the authorizer
//! a different question.

mod caller;
mod policy;
mod question;

#[cfg(test)]
mod tests;

pub use caller::{Caller, TenancyDefaults};
pub use policy::{
    InvalidPattern, InvalidTokenHash, InvalidUnit, Pattern, Policy, PolicyError, Rule, Rules, Token,
    TokenHash,
};
pub use question::{Access, Authorizer, Everything, Question, Verb};
