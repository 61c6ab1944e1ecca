//! Resources for packages of the distribution and their repositories.

pub mod apt;
pub mod apt_repo;
pub mod debconf;
mod file;
pub mod install;
mod lock_timeout;
mod names;
mod openpgp;
mod output;
pub mod pip;
mod platform;
pub mod query;
mod repo_files;
pub mod rpm;
pub mod rpm_repo;
mod scope;
mod upgrade_policy;
