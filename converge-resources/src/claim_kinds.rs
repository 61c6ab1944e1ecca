//! Kinds of claims that resources of several folders share.

/// The `.ssh` folder of a user, by the name of the user.
pub(crate) const SSH_FOLDER: &str = "ssh_folder";
