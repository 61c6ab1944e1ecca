//! What makes a folder a module.
#![expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]

use std::ffi::OsStr;
use std::path::Path;

/// The file that makes a folder a module: all files of the folder are that module.
pub(super) const MODULE_FILE: &str = "module.hcl";

/// Whether a name is that of a module file. Case counts, as it does for what a folder holds.
pub(super) fn is_module_name(name: &Path) -> bool {
    name.extension() == Some(OsStr::new("hcl"))
}

/// The folder that a file is part of as a module, when there is a `module.hcl` beside it.
pub(super) fn module_folder(file: &Path) -> Option<&Path> {
    let folder = file.parent()?;
    (is_module_name(file) && folder.join(MODULE_FILE).is_file()).then_some(folder)
}
