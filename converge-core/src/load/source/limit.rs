/// The largest source that is accepted, in bytes.
pub(super) const SOURCE_LIMIT: u64 = 16 * 1024 * 1024;
