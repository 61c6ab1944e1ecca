//! `docker.volume`: a place where containers keep what outlives them.

mod task;
#[cfg(test)]
mod tests;

pub use task::Volume;
