//! Who may do what.
//!
//! A [`Caller`] asks the service for something; its [`Authorizer`] answers whether the caller may. How a caller is known by
//! a token, and what each may do, is in a [`Policy`]. A type of resource may have a say of its own, by hooks that ask the
//! authorizer something else than what is asked by default: whether the caller may do this to resources of this type, in
//! this tenancy, of this name.

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
