//! Tests of resources on disposable hosts, for changes that this machine must never see.
//!
//! There is one file for each family.

#[cfg(test)]
mod access;
// This module takes longest, and tests start in the order of their names.
#[cfg(test)]
mod disks_and_boots;
#[cfg(test)]
mod docker;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod file_content;
#[cfg(test)]
mod file_link;
#[cfg(test)]
mod file_owner;
#[cfg(test)]
mod firewall;
#[cfg(test)]
mod fleet;
#[cfg(test)]
mod from_ansible;
#[cfg(test)]
mod full_host;
#[cfg(test)]
mod git;
mod git_https;
#[cfg(test)]
mod host_setup;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod net;
#[cfg(test)]
mod package;
#[cfg(test)]
mod package_debconf;
#[cfg(test)]
mod package_pip;
#[cfg(test)]
mod package_rpm;
#[cfg(test)]
mod package_upgrades;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod random;
#[cfg(test)]
mod run_as;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod system;
#[cfg(test)]
mod systemd;
#[cfg(test)]
mod systemd_model;
#[cfg(test)]
mod user;
#[cfg(test)]
mod user_programs;
