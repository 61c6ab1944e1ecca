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
        let mut edits: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
        for Mention { place, .. } in mentions {
            let edit = Edit { place, text: name.to_owned() };
            let of_file = edits.entry(edit.place.source.to_string()).or_default();
            if !of_file.contains(&edit) {
                of_file.push(edit);
            }
        }
        self.check_meaning(&found, &edits)?;
        Ok(edits.into_values().flatten().collect())
    }

    /// Whether what is named by the edits, and nothing else, leads to the same after them.
    fn check_meaning(&self, found: &Found, edits: &BTreeMap<String, Vec<Edit>>) -> Result<(), RenameError> {
        let mut after = self.copy();
        for of_file in edits.values() {
            let Some(Edit { place, .. }) = of_file.first() else { continue };
            let Some(text) = self.text(&place.source) else { continue };
            after.open(place.source.clone(), applied(&text, of_file));
        }
        let index = after.index(&found.source).ok_or(RenameError::Nothing)?;
        let same = Found::alone(&found.source, &index, found.at);
        let mentioned = after.mentions(&same);
        let count =
            |file: &str| mentioned.iter().filter(|mention| &**mention.place.source.name() == file).count();
        let files = mentioned.iter().map(|mention| mention.place.source.to_string());
        let wrong = files
            .chain(edits.keys().cloned())
            .find(|file| edits.get(file).map_or(0, Vec::len) != count(file));
        wrong.map_or(Ok(()), |file| Err(RenameError::Changes(file)))
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

/// A text with edits that do not touch each other.
fn applied(text: &str, edits: &[Edit]) -> Arc<str> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.place.range.start));
    let mut text = text.to_owned();
    for Edit { place, text: new } in edits {
        if text.is_char_boundary(place.range.start) && text.is_char_boundary(place.range.end) {
            text.replace_range(place.range.clone(), new);
        }
    }
    text.into()
}
