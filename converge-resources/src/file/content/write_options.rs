//! Options for writing files, shared by `file.content` and the editors.

use converge_sdk::prelude::*;

use super::validate::Validation;
use crate::file::attributes::Attributes;

/// The declared options for writing a file.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Writing {
    #[hcl(embed)]
    pub(super) attributes: Attributes,
    /// Whether the old file is kept beside the new one, as `NAME.bak` with its mode and owner.
    ///
    /// There is one such file: the next change replaces it. Anything else with that name is replaced too; a
    /// link of that name is not followed.
    #[hcl(default)]
    pub(super) backup: bool,
    /// A command for `/bin/sh` that checks the new content before it replaces the old: `"visudo -cf {}"`.
    ///
    /// Each `{}` stands for the path of a temporary file beside the destination, which only its owner can
    /// read. Without `{}`, each `%s` stands for it. If the command fails, the resource fails with the output
    /// of the command, and the destination is not touched.
    pub(super) validate: Option<Validation>,
    /// Whether an existing file keeps its content, whatever that is.
    ///
    /// Mode, owner and group are managed all the same.
    #[hcl(default, ensures = "path:content of destination")]
    pub(crate) only_if_missing: bool,
    /// Whether a symbolic link at the destination stays, and its target is written.
    ///
    /// If false, a new file replaces the link, and its target stays as it is.
    #[hcl(default = true)]
    pub(super) follow: bool,
}
