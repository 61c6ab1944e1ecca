//! Protection of the memory of this process.

/// Keeps the memory of this process out of core dumps and from other processes of its user.
///
/// The memory contains keys, tokens and secrets. A limit on the size of core files would be inherited by
/// child processes, and is ignored if cores are piped to a program.
#[cfg(target_os = "linux")]
pub(super) fn keep_memory() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "a crash may write secrets to a core file");
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn keep_memory() {}
