//! The whole system, from outside: the command, real files, real owners.

#[cfg(test)]
mod canary;
#[cfg(test)]
mod choosing;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod fleetlet;
#[cfg(test)]
mod found_modules;
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
mod many;
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
mod outside;
#[cfg(test)]
mod owner;
#[cfg(test)]
mod plan_documents;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod plugins;
#[cfg(test)]
mod polls;
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
mod secrets;
#[cfg(test)]
mod server;
#[cfg(test)]
mod special;
#[cfg(test)]
mod stored_plans;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod strangers;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod ten_minutes;
#[cfg(test)]
mod tenants;
