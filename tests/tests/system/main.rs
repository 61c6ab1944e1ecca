//! Tests of the whole system from outside: the command, real files, real owners.

#[cfg(test)]
mod canary;
#[cfg(test)]
mod concurrent_runs;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod external_crates;
#[cfg(test)]
mod fleetlet;
#[cfg(test)]
mod for_each_modules;
#[cfg(test)]
mod https;
#[cfg(test)]
mod interrupt;
#[cfg(test)]
mod language;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lock;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod module_cache;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod new_controller;
#[cfg(test)]
mod new_resource;
#[cfg(test)]
mod one_mistake;
#[cfg(test)]
mod other_users;
#[cfg(test)]
mod owner;
#[cfg(test)]
mod plan_documents;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod plugins;
#[cfg(test)]
mod poll_time;
#[cfg(test)]
mod power;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod refresh;
#[cfg(test)]
mod run;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod selection;
#[cfg(test)]
mod server;
#[cfg(test)]
mod special_files;
#[cfg(test)]
mod stored_plans;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tenants;
#[cfg(test)]
mod tutorial;
