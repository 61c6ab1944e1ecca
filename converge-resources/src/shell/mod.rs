//! Resources that run scripts with a shell or another interpreter.

pub mod healthcheck;
pub mod query;
mod run;
pub mod script;
#[cfg(test)]
mod tests;
pub mod wait;
