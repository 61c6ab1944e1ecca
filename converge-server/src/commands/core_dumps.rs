//! What is in the memory of a process, and who may see it.

/// Keeps the memory of this process, in which there are keys, tokens and secrets, out of core files, and from other
/// processes of its user.
///
/// A limit of the size of core files would be handed on to what it starts, and is not heeded where they go to a program.
#[cfg(target_os = "linux")]
pub(super) fn keep_memory() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "a crash may write secrets to a core file");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn keep_memory() {}
