//! Claims on the content of a folder that comes from another folder.

/// The kind of the claims.
pub(super) const KIND: &str = "copied_tree";

/// Returns the beginning of the names of the claims on a destination; the source follows.
pub(super) fn prefix(destination: &str) -> String {
    format!("{destination} from ")
}
