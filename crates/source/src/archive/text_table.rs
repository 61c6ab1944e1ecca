//! The texts found in an archive.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::error::{ArchiveError, MemberError};
use super::member::Member;

/// A text, or the number of its leading bytes that are UTF-8.
type Text = Result<Arc<str>, usize>;

/// The files of an archive by path.
#[derive(Clone, Default)]
pub(super) struct Texts(BTreeMap<String, Text>);

impl Texts {
    pub(super) fn add(&mut self, member: &Member<'_>, bytes: Vec<u8>) -> Result<(), ArchiveError> {
        let text = String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to());
        match self.0.entry(member.path.clone()) {
            Entry::Vacant(place) => {
                place.insert(text.map(Arc::from));
                Ok(())
            }
            Entry::Occupied(_) => Err(member.wrong(MemberError::Twice)),
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Text> {
        self.0.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
