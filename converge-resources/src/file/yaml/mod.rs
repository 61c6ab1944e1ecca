//! The `file.yaml` resource: one value of a YAML file.

mod edit;
mod scalar;
mod task;
#[cfg(test)]
mod tests;
mod tree;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, OneOrMany};

pub use task::Yaml;

use super::edit::{EditedFile, Editing, claim_part, invalid};
use crate::text::Text;
use edit::YamlEdit;

/// Ensures that a key has a value in a YAML file, or that the key is absent.
///
/// The value is a text, a number, a bool, a list or a map. Values are compared by their meaning, so `8080`
/// equals `0x1f90`, and `debug` equals `"debug"`. A text is quoted where it would otherwise have another
/// meaning. A new key is added after the last one of its map, together with the maps around it. `key` leads
/// into lists by the number of the item, from 0; the number of items adds a new one.
///
/// # Guarantees
///
/// Everything else stays as it is, byte for byte: comments, the order of keys, quotes, indents, line endings.
/// The text is parsed again after the edit, and must have the new value and everything else as before;
/// otherwise the file is not touched. The file is also not touched if it does not parse, has several
/// documents, has the same key twice in a map, or if the part to change has an anchor or a tag. The file is
/// replaced as a whole, as by `file.content`. The edit applies to the file as it is at the moment of the
/// apply; editors of one run never edit a file at the same time.
///
/// # Caveats
///
/// Words have the meaning of the core schema of YAML 1.2: `yes` is a text. Comments within a list or a map
/// that gets another value are lost with it. Only UTF-8 text of at most 8 MiB is edited. If another program
/// writes the file at the moment when it is replaced, what that program wrote is lost.
#[derive(Debug, Preparer)]
#[preparer(name = "file.yaml", task = Yaml, validate, footprint, lock = "file.edit", example = "example.hcl")]
pub struct YamlPreparer {
    /// Path of the file.
    #[hcl(required, nonempty, needs = "path", ensures = "path:content")]
    destination: String,
    /// The keys that lead to the value, from the outermost: `["server", "port"]`.
    ///
    /// A single text is enough for a value of the outermost map. Each key may have any character, also dots.
    #[hcl(required, nonempty)]
    key: OneOrMany<Text>,
    /// The value.
    #[hcl(required_if = "state=present")]
    value: Option<Value>,
    /// Whether the key is to be present.
    #[hcl(default)]
    state: Ensure,
    #[hcl(embed)]
    editing: Editing,
}

impl HasFootprint for YamlPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let value = self.value.as_ref().filter(|_| self.state.is_present()).map(Value::to_string);
        let keys: Vec<&Text> = self.key.as_slice().iter().collect();
        claim_part(footprint, ("key", &self.destination), &keys, value.as_deref());
        // Each outer key is a map, on which other resources agree.
        for outer in 1..keys.len() {
            claim_part(footprint, ("key", &self.destination), &keys[..outer], Some("a map"));
        }
    }
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
