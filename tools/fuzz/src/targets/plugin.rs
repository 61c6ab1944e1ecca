//! Any bytes as lines between a plugin and its host: nothing panics, and what is read is written as what it was.

pub(crate) fn run(bytes: &[u8]) {
    converge_core::plugin::hear(bytes);
}
