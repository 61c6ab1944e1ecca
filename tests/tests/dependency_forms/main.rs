//! How others depend on the crates, in each form that the guide shows: a crate outside of the workspace, with a resource, is compiled.

#[cfg(test)]
mod forms;
#[cfg(test)]
mod registry;
