//! Users and groups of the machine.
//!
//! They are read through the machine's name service, and changed with the programs of shadow-utils.

mod attribute;
mod change;
mod defaults;
mod error;
pub mod group;
#[cfg(test)]
mod model;
mod name;
mod run;
mod shadow;
mod ssh_folder;
mod tool;
#[expect(clippy::module_inception, reason = "a folder for each resource, and this one is `user.user`")]
pub mod user;
