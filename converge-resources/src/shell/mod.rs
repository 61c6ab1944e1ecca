//! Scripts for the shell, or for any other interpreter.

pub mod healthcheck;
pub mod query;
mod run;
pub mod script;
#[cfg(test)]
mod tests;
pub mod wait;
