//! The rules by which a folder is a module.
#![expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]

use std::ffi::OsStr;
use std::path::Path;

/// The file that makes a folder a module with all of its files.
pub(super) const MODULE_FILE: &str = "module.hcl";

/// Returns whether a name is that of a module file; the comparison is case-sensitive.
pub(super) fn is_module_name(name: &Path) -> bool {
    name.extension() == Some(OsStr::new("hcl"))
}

/// Returns the folder that a file belongs to as a module, which needs a `module.hcl` beside the file.
pub(super) fn module_folder(file: &Path) -> Option<&Path> {
    let folder = file.parent()?;
    (is_module_name(file) && folder.join(MODULE_FILE).is_file()).then_some(folder)
}
