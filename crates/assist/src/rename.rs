//! Renaming of a declaration and of all its uses.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::index::{CASE, DEFAULT};
use super::navigate::Mention;
use super::resolve::Found;
use super::workspace::{Place, Workspace};
use converge_source::Source;
use converge_value::debug_as_text;

/// A text edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// The place that is replaced.
    pub place: Place,
    /// The replacement text.
    pub text: String,
}

/// The reason why a rename is not possible.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// There is no name at the position.
    #[error("there is no name here that can be renamed")]
    Nothing,
    /// The new name is not valid in every place that has the old one.
    #[error("`{0}` cannot be a name here: write letters, digits and `_`, beginning with a letter{1}")]
    BadName(String, &'static str),
    /// Another declaration already has the new name.
    #[error("there is a `{0}` already")]
    Taken(String),
    /// The name is written in a form that cannot be edited in part.
    #[error(
        "{file} names it at byte {offset} in a form that cannot be edited: with escapes, or in the old syntax"
    )]
    Written {
        /// The file.
        file: String,
        /// The byte offset in the file.
        offset: usize,
    },
    /// The new name would change what another place refers to.
    #[error("the new name would change the meaning of {0}")]
    Changes(String),
}

debug_as_text!(RenameError);

impl Workspace<'_> {
    /// Returns the range and the current name of the item that a rename at this offset affects.
    pub fn rename_target(&self, source: &Source, offset: usize) -> Option<(Range<usize>, String)> {
        self.begin();
        let (target, range) = self.target_at(source, offset)?;
        let name = renamable_name(&target)?;
        Some((range, name))
    }

    /// Returns the edits, in all known files, that rename the item at an offset.
    ///
    /// Before it returns the edits, the method checks that they change no references. Each use refers to the
    /// same declaration afterwards, and no other name does. An HCL file of
    /// parameters counts as part of a module if no other known module accepts all
    /// of its parameters. Other parameter files, and modules outside the known files, are left unchanged.
    ///
    /// # Errors
    ///
    /// There is no name at the offset, the new name is invalid or taken, or the edits would change a
    /// reference.
    pub fn rename(&self, source: &Source, offset: usize, name: &str) -> Result<Vec<Edit>, RenameError> {
        self.begin();
        let (target, _) = self.target_at(source, offset).ok_or(RenameError::Nothing)?;
        let old = renamable_name(&target).ok_or(RenameError::Nothing)?;
        let mentions = self.mentions(&target);
        check_name(name, mentions.iter().any(|mention| mention.is_bare))?;
        if name == old {
            return Ok(Vec::new());
        }
        let declared = target.declared().ok_or(RenameError::Nothing)?;
        let id = declared.id.strip_suffix(&old).map(|kind| format!("{kind}{name}"));
        let is_taken = |id: &String| {
            let indexes = self.indexes_of(&target.source);
            indexes.iter().any(|(_, index)| index.declared.iter().any(|declaration| declaration.id == *id))
        };
        if let Some(id) = id.filter(is_taken) {
            return Err(RenameError::Taken(id));
        }
        if let Some(Mention { place, .. }) = mentions.iter().find(|mention| !mention.is_plain) {
            let file = place.source.to_string();
            return Err(RenameError::Written { file, offset: place.range.start });
        }
        let edit = |Mention { place, .. }| Edit { place, text: name.to_owned() };
        let mut edits: Vec<Edit> = mentions.into_iter().map(edit).collect();
        edits.sort_by(|a, b| a.place.source.name().cmp(b.place.source.name()));
        self.check_meaning(&target, &edits)?;
        Ok(edits)
    }

    /// Checks that the edited names, and no others, refer to the same declaration after the edits.
    ///
    /// The edits of a file are in the order of its text.
    fn check_meaning(&self, target: &Found, edits: &[Edit]) -> Result<(), RenameError> {
        let mut after = self.copy();
        for of_file in edits.chunk_by(|a, b| a.place.source == b.place.source) {
            let Some(Edit { place, .. }) = of_file.first() else { continue };
            let Some(text) = self.text(&place.source) else { continue };
            after.open(place.source.clone(), apply_edits(&text, of_file));
        }
        let index = after.index(&target.source).ok_or(RenameError::Nothing)?;
        let renamed_target = Found::alone(&target.source, &index, target.at);
        let mentioned = after.mentions(&renamed_target);
        let edited = count_by_file(edits.iter().map(|edit| &edit.place));
        let mentioned = count_by_file(mentioned.iter().map(|mention| &mention.place));
        let mut files = mentioned.keys().chain(edited.keys());
        let changed_file = files.find(|file| edited.get(*file) != mentioned.get(*file));
        changed_file.map_or(Ok(()), |file| Err(RenameError::Changes((*file).to_owned())))
    }
}

/// Returns the name of a declaration that can be renamed.
fn renamable_name(target: &Found) -> Option<String> {
    let declared = target.declared()?;
    let name = declared.name.as_ref()?;
    let is_default = &*declared.kind.text == CASE && &*name.text == DEFAULT;
    (!is_default && !name.text.is_empty()).then(|| name.text.to_string())
}

fn check_name(name: &str, is_bare: bool) -> Result<(), RenameError> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || (!is_bare && c == '-');
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part);
    let hint = if is_bare { "" } else { ", or `-`" };
    if is_name { Ok(()) } else { Err(RenameError::BadName(name.to_owned(), hint)) }
}

/// Counts the places in each file.
fn count_by_file<'p>(places: impl Iterator<Item = &'p Place>) -> BTreeMap<&'p str, usize> {
    let mut counts = BTreeMap::new();
    for place in places {
        *counts.entry(&**place.source.name()).or_default() += 1;
    }
    counts
}

/// Applies edits, which are in order and do not overlap, to a text.
fn apply_edits(text: &str, edits: &[Edit]) -> Arc<str> {
    let mut edited = String::with_capacity(text.len());
    let mut end = 0;
    for Edit { place, text: new } in edits {
        // Ranges that do not fit this text are ignored.
        if let Some(unchanged_text) = text.get(end..place.range.start)
            && text.is_char_boundary(place.range.end)
        {
            edited.extend([unchanged_text, new]);
            end = place.range.end;
        }
    }
    edited.push_str(text.get(end..).unwrap_or_default());
    edited.into()
}
