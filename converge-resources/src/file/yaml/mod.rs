//! `file.yaml`: one value of a YAML file.

mod edit;
mod scalar;
mod task;
#[cfg(test)]
mod tests;
mod tree;

use converge_core::prelude::*;
use converge_core::value::{FieldError, OneOrMany};

pub use task::Yaml;

use super::edit::{EditedFile, Editing, invalid};
use crate::text::Text;
use edit::YamlEdit;

/// Sees to it that a key has a value in a YAML file, or that it is not there.
///
/// The value is what the module says: a text, a number, a bool, a list or a map. It is compared by what it means, so `8080` and `0x1f90` are
/// the same, and so are `debug` and `"debug"`; a text is written with quotes where it would mean something else without. A key that is not
/// there is added behind the last one of its map, with the maps around it; `key` leads into lists by the number of the item, from 0, and
/// the number of items is that of a new one.
///
/// # Guarantees
///
/// All else stays as it is, byte for byte: comments, the order of keys, quotes, indents, line endings. The text is read again after the
/// edit, and must say the new value and all else as before; otherwise the file is not touched. Neither is it when it does not parse, has
/// several documents, has the same key twice in a map, or when what is to be changed has an anchor or a tag. The file is replaced as a whole,
/// as by `file.content`, and edited as it is at the moment of the apply; editors of one run never edit at the same time.
///
/// # Caveats
///
/// Words mean what the core schema of YAML 1.2 says: `yes` is a text. Comments within a list or a map that gets another value are
/// lost with it. Only text in UTF-8 of at most 8 MiB is edited. A file that others write at the very moment when it is replaced loses what
/// they write.
#[derive(Debug, Preparer)]
#[preparer(name = "file.yaml", task = Yaml, validate, lock = "file.edit", example = "example.hcl")]
pub struct YamlPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The keys that lead to the value, from the outermost: `["server", "port"]`. One is enough for a value of the outermost map. Each may
    /// have any character, also points.
    #[hcl(required, nonempty)]
    key: OneOrMany<Text>,
    /// The value.
    #[hcl(required_if = "state=present")]
    value: Option<Value>,
    /// Whether the key is to be there.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

impl Validate for YamlPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = self.editing.validate();
        if self.key.as_slice().iter().any(|key| key.is_empty()) {
            errors.push(invalid("key", "one of the keys is empty"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl Resource for YamlPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Yaml> {
        let key = self.key.as_slice().to_vec();
        let value = self.value.unwrap_or_default();
        let edit = YamlEdit {
            secret: value.contains_secret() || key.iter().any(Text::is_secret),
            key: key.clone(),
            value: self.state.is_present().then(|| value.clone()),
        };
        let file = EditedFile::new(self.destination.clone(), self.editing)?;
        Ok(Yaml { destination: self.destination, key, value, state: self.state, edit, file })
    }
}
