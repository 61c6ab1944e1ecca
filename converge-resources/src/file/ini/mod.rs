//! `file.ini`: one setting of an INI file.

mod edit;
mod parse;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::FieldError;

pub use task::Ini;

use super::edit::{EditedFile, Editing, invalid};
use crate::text::Text;
use edit::IniEdit;
use parse::Entry;

/// Sees to it that a key has a value in a file of sections, keys and values, or that it is not there.
///
/// The file has lines like `[section]`, `key = value`, `key: value`, `key` alone, and comments that begin with `#` or `;`. A line that is
/// indented and has no value of its own goes on with the value of the line before, and so does one after a backslash. A key that is not
/// there is added behind the last one of its section, and written as that is; a section that is not there is added at the end.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte: comments, empty lines, the spaces around `=`, line endings. A file with a line that is
/// none of these is not touched, and neither is one that has the key several times in the section. The file is replaced as a whole, as by
/// `file.content`, and edited as it is at the moment of the apply; editors of one run never edit at the same time.
///
/// # Caveats
///
/// All that follows the `=` is the value: not every program knows comments there. Names are compared with their case. A section that
/// has lost its last key stays. Only text in UTF-8 of at most 8 MiB is edited. A file that others write at the very moment when it is
/// replaced loses what they write.
#[derive(Debug, Preparer)]
#[preparer(name = "file.ini", task = Ini, validate, lock = "file.edit", example = "example.hcl")]
pub struct IniPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The section, without its brackets. Without it the key is above the first section.
    section: Option<Text>,
    /// The key.
    #[hcl(required, nonempty)]
    key: Text,
    /// The value, as it stands in the file: with quotes where the file wants some.
    #[hcl(required_if = "state=present")]
    value: Option<Text>,
    /// Whether the key is to be there.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

impl IniPreparer {
    /// In modules for other tools, an empty name means that there is none.
    fn section(&self) -> Option<&Text> {
        self.section.as_ref().filter(|section| !section.is_empty())
    }
}

impl Validate for IniPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = self.editing.validate();
        if self
            .section()
            .is_some_and(|section| parse::section(&format!("[{}]", &**section)) != Some(&**section))
        {
            errors.push(invalid("section", "it cannot be read again as the name of a section"));
        }
        let reads =
            |line: &str, is: &dyn Fn(&Entry<'_>) -> bool| parse::entry(line).is_some_and(|entry| is(&entry));
        if !reads(&format!("{} = x", &*self.key), &|entry| entry.key == &*self.key) {
            errors.push(invalid("key", "it cannot be read again as a key"));
        }
        let is_read_again = |value: &Text| {
            let line = format!("key = {}", &**value);
            !value.contains(['\n', '\r']) && reads(&line, &|entry| entry.value == &**value)
        };
        if self.value.as_ref().is_some_and(|value| !is_read_again(value)) {
            errors.push(invalid(
                "value",
                "it cannot be read again: it has several lines, or begins or ends with white space",
            ));
        } else if self.value.as_ref().is_some_and(|value| value.ends_with('\\')) {
            errors.push(invalid(
                "value",
                "it ends in a backslash, which would make the next line a part of it",
            ));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for IniPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Ini> {
        let section = self.section().cloned();
        let value = self.value.unwrap_or_default();
        let edit = IniEdit {
            section: section.clone(),
            key: self.key.clone(),
            value: self.state.is_present().then(|| value.clone()),
            secret: [Some(&value), Some(&self.key), section.as_ref()]
                .into_iter()
                .flatten()
                .any(Text::is_secret),
        };
        let file = EditedFile::new(self.destination.clone(), self.editing)?;
        Ok(Ini {
            destination: self.destination,
            section,
            key: self.key,
            value,
            state: self.state,
            edit,
            file,
        })
    }
}
