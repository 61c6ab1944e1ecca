//! How a file is written: what `file.content` and the editors have in common.

use converge_core::prelude::*;

use super::validate::Validation;
use crate::file::attributes::Attributes;

/// What a module says about how a file is written.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct Writing {
    #[hcl(embed)]
    pub(super) attributes: Attributes,
    /// Whether the old file is kept beside the new one, as `NAME.bak` with its mode and owner. There is one
    /// such file: the next change replaces it, and whatever else has the name; a link of that name is not followed.
    #[hcl(default)]
    pub(super) backup: bool,
    /// A command for `/bin/sh` that looks at the new content before it takes the place of the old:
    /// `"visudo -cf {}"`. Each `{}` stands for the path of a temporary file beside the destination, which
    /// only its owner can read; where there is no `{}`, each `%s` does. When the command fails, the
    /// resource fails with what it printed, and the destination is not touched.
    pub(super) validate: Option<Validation>,
    /// Whether a file that is there keeps its content, whatever that is. Mode, owner and group are managed all the same.
    #[hcl(default, ensures = "path:content of destination")]
    pub(crate) only_if_missing: bool,
}
