//! The `docker.volume` resource: storage that outlives containers.

mod task;
#[cfg(test)]
mod tests;

pub use task::Volume;
