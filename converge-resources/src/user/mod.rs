//! Resources for users and groups of the machine.
//!
//! They are read through the machine's name service, and changed with the programs of shadow-utils.

mod attribute;
pub mod authorized_key;
mod change;
mod defaults;
mod error;
pub mod group;
pub mod known_host;
#[cfg(test)]
pub(crate) mod model;
mod name;
mod public_key;
pub mod query;
mod run;
mod shadow;
mod ssh_file;
mod ssh_folder;
pub mod sudoers;
mod tool;
#[expect(clippy::module_inception, reason = "a folder for each resource, and this one is `user.user`")]
pub mod user;

/// The kind of claims on memberships, by the names of the group and the user: `wheel/ada`.
const MEMBER: &str = "member";
