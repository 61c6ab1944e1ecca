//! Tests of each documented form of dependency, with a crate outside of the workspace.

#[cfg(test)]
mod forms;
#[cfg(test)]
mod registry;
