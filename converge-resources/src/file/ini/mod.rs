//! The `file.ini` resource: one setting of an INI file.

mod edit;
mod parse;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Ini;

use super::edit::{EditedFile, Editing, claim_part, invalid};
use crate::text::Text;
use edit::{IniEdit, SectionChoice};
use parse::Entry;

/// Ensures that a key has a value in a file of sections, keys and values, or that the key is absent.
///
/// The file has lines like `[section]`, `key = value`, `key: value`, `key` alone, and comments that begin
/// with `#` or `;`. An indented line without a value of its own continues the value of the line before; so
/// does a line after a backslash. A new key is added after the last one of its section, in the same format. A
/// new section is added at the end.
///
/// # Guarantees
///
/// All other lines stay as they are, byte for byte: comments, empty lines, the spaces around `=`, line
/// endings. A file with any other kind of line is not touched, and neither is one that has the section or the
/// key in it several times. The file is replaced as a whole, as by `file.content`. The edit applies to the file
/// as it is at the moment of the apply; editors of one run never edit a file at the same time.
///
/// # Caveats
///
/// Everything after the `=` is the value: not every program knows comments there. Names are case-sensitive. A
/// section that has lost its last key stays. Only UTF-8 text of at most 8 MiB is edited. If another program
/// writes the file at the moment when it is replaced, what that program wrote is lost.
#[derive(Debug, Preparer)]
#[preparer(name = "file.ini", task = Ini, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct IniPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The section, without its brackets. Without it, the key is above the first section.
    section: Option<Text>,
    /// The section among several of one name; without it, such a file is refused.
    #[hcl(requires = "section")]
    which: Option<SectionChoice>,
    /// The key.
    #[hcl(required, nonempty)]
    key: Text,
    /// The value as the file has it, with quotes if the file needs them.
    #[hcl(required_if = "state=present")]
    value: Option<Text>,
    /// Whether the key is to be present.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

impl IniPreparer {
    /// Returns the section. In modules for other tools, an empty name means that there is none.
    fn section(&self) -> Option<&Text> {
        self.section.as_ref().filter(|section| !section.is_empty())
    }
}

impl HasFootprint for IniPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let value = self.value.as_ref().filter(|_| self.state.is_present());
        let names: Vec<&Text> = self.section().into_iter().chain([&self.key]).collect();
        claim_part(footprint, ("key", &self.destination), &names, value.map(|text| &**text));
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
            which: self.which,
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
