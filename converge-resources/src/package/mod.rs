//! Packages of the distribution.

pub mod apt;
mod lock_timeout;
mod names;
mod output;
mod platform;
pub mod query;
pub mod rpm;
