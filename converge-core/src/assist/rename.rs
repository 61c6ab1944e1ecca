//! Giving something another name, everywhere that it is named.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::index::{CASE, DEFAULT};
use super::navigate::Mention;
use super::resolve::Found;
use super::workspace::{Place, Workspace};
use crate::load::Source;

/// Texts that take the place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// What is replaced.
    pub place: Place,
    /// By what.
    pub text: String,
}

/// Why something cannot be given a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// Nothing that has a name in a module is named there.
    #[error("nothing that can be renamed is named here")]
    Nothing,
    /// The new name cannot be written everywhere that the old one is.
    #[error("`{0}` cannot be a name here: write letters, digits and `_`, beginning with a letter{1}")]
    BadName(String, &'static str),
    /// Something else has the new name.
    #[error("there is a `{0}` already")]
    Taken(String),
    /// The name is written in a form of which no part can be replaced.
    #[error(
        "{file} names it at byte {offset} in a way that cannot be edited: with escapes, or as in the original"
    )]
    Written {
        /// The file.
        file: String,
        /// Where in it.
        offset: usize,
    },
    /// With the new name, other things would be meant in some place.
    #[error("with this name something else would be meant in {0}")]
    Changes(String),
}

impl Workspace<'_> {
    /// What would be renamed at a place: where its name is there, and what it is now.
    pub fn rename_target(&self, source: &Source, offset: usize) -> Option<(Range<usize>, String)> {
        self.begin();
        let (found, range) = self.target_at(source, offset)?;
        let name = renamable(&found)?;
        Some((range, name))
    }

    /// The edits that give what is named at a place another name, in all files that there are.
    ///
    /// Each name that led to it leads to it afterwards, and none leads to it that did not before: that is tried before an edit is
    /// given. A [file of parameters](crate::load::GivenParams) as HCL is one for a module when no other one of the files takes all of its
    /// parameters; others are left as they are, and so are modules that are not among the files.
    ///
    /// # Errors
    ///
    /// There is nothing to rename, the name is none or taken, or the edits would change what something means.
    pub fn rename(&self, source: &Source, offset: usize, name: &str) -> Result<Vec<Edit>, RenameError> {
        self.begin();
        let (found, _) = self.target_at(source, offset).ok_or(RenameError::Nothing)?;
        let old = renamable(&found).ok_or(RenameError::Nothing)?;
        let mentions = self.mentions(&found);
        check_name(name, mentions.iter().any(|mention| mention.is_bare))?;
        if name == old {
            return Ok(Vec::new());
        }
        let declared = found.declared().ok_or(RenameError::Nothing)?;
        let id = declared.id.strip_suffix(&old).map(|kind| format!("{kind}{name}"));
        let is_taken = |id: &String| {
            let all = self.indexes_of(&found.source);
            all.iter().any(|(_, index)| index.declared.iter().any(|other| other.id == *id))
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
        self.check_meaning(&found, &edits)?;
        Ok(edits)
    }

    /// Whether what is named by the edits, and nothing else, leads to the same after them. The edits of a file follow each other, in the
    /// order of its text.
    fn check_meaning(&self, found: &Found, edits: &[Edit]) -> Result<(), RenameError> {
        let mut after = self.copy();
        for of_file in edits.chunk_by(|a, b| a.place.source == b.place.source) {
            let Some(Edit { place, .. }) = of_file.first() else { continue };
            let Some(text) = self.text(&place.source) else { continue };
            after.open(place.source.clone(), applied(&text, of_file));
        }
        let index = after.index(&found.source).ok_or(RenameError::Nothing)?;
        let same = Found::alone(&found.source, &index, found.at);
        let mentioned = after.mentions(&same);
        let edited = count(edits.iter().map(|edit| &edit.place));
        let mentioned = count(mentioned.iter().map(|mention| &mention.place));
        let mut files = mentioned.keys().chain(edited.keys());
        let wrong = files.find(|file| edited.get(*file) != mentioned.get(*file));
        wrong.map_or(Ok(()), |file| Err(RenameError::Changes((*file).to_owned())))
    }
}

/// The name of what can be renamed.
fn renamable(found: &Found) -> Option<String> {
    let declared = found.declared()?;
    let name = declared.name.as_ref()?;
    let is_default = &*declared.kind.text == CASE && &*name.text == DEFAULT;
    (!is_default && !name.text.is_empty()).then(|| name.text.to_string())
}

fn check_name(name: &str, is_bare: bool) -> Result<(), RenameError> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || (!is_bare && c == '-');
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part);
    let more = if is_bare { "" } else { ", or `-`" };
    if is_name { Ok(()) } else { Err(RenameError::BadName(name.to_owned(), more)) }
}

/// How many places there are in each file.
fn count<'p>(places: impl Iterator<Item = &'p Place>) -> BTreeMap<&'p str, usize> {
    let mut counts = BTreeMap::new();
    for place in places {
        *counts.entry(&**place.source.name()).or_default() += 1;
    }
    counts
}

/// A text with edits that do not touch each other, in its order.
fn applied(text: &str, edits: &[Edit]) -> Arc<str> {
    let mut edited = String::with_capacity(text.len());
    let mut end = 0;
    for Edit { place, text: new } in edits {
        // Ranges of a text that is not this one are left alone.
        if let Some(kept) = text.get(end..place.range.start)
            && text.is_char_boundary(place.range.end)
        {
            edited.extend([kept, new]);
            end = place.range.end;
        }
    }
    edited.push_str(text.get(end..).unwrap_or_default());
    edited.into()
}
