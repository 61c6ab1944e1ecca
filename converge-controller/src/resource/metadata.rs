//! Metadata of a resource: user notes, finalizers and the deletion mark.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::debug_as_text;

/// A finalizer: the name of work that must be done before a resource disappears: `example.org/volume`.
///
/// ```
/// use converge_controller::Finalizer;
///
/// assert!("example.org/volume".parse::<Finalizer>().is_ok());
/// assert!("two words".parse::<Finalizer>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finalizer(Arc<str>);

/// The error of a text that is not a [`Finalizer`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a finalizer: it is one word or more characters without blanks, such as example.org/volume"
)]
pub struct InvalidFinalizer {
    /// The text.
    pub text: String,
}

debug_as_text!(InvalidFinalizer);

impl Finalizer {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Finalizer {
    type Err = InvalidFinalizer;

    fn from_str(text: &str) -> Result<Self, InvalidFinalizer> {
        // Finalizers are stored as one text, separated by spaces.
        if text.is_empty() || text.contains(char::is_whitespace) {
            return Err(InvalidFinalizer { text: text.to_owned() });
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Finalizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The metadata of a resource: notes of its users, as texts by key, and two entries for the service.
///
/// The entries for the service have keys that no note can have.
/// [`deletionTimestamp`](Metadata::DELETION_TIMESTAMP) is the time at which the resource was marked for
/// deletion. [`finalizers`](Metadata::FINALIZERS) lists the finalizers that must be removed before the
/// resource disappears.
///
/// External input has the metadata as a map of texts:
///
/// ```
/// use std::collections::BTreeMap;
///
/// use converge_controller::Metadata;
///
/// let map = [("team", "web"), ("finalizers", "b a  b")].map(|(key, text)| (key.to_owned(), text.to_owned()));
/// let metadata = Metadata::try_from(BTreeMap::from(map))?;
/// assert_eq!(metadata.get("team"), Some("web"));
/// assert_eq!(metadata.finalizers().map(|finalizer| finalizer.as_str()).collect::<Vec<_>>(), ["a", "b"]);
/// # Ok::<(), converge_controller::MetadataError>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, String>", try_from = "BTreeMap<String, String>")]
pub struct Metadata {
    notes: BTreeMap<String, String>,
    deletion: Option<Timestamp>,
    /// The finalizers. In a write, `None` keeps the stored ones, and an empty set removes them.
    finalizers: Option<BTreeSet<Finalizer>>,
}

/// The error of a map of texts that is not valid [`Metadata`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The deletion mark is not a time.
    #[error(
        "metadata {:?} is {text:?}, which is not a time of RFC 3339 such as 2026-01-31T12:00:00Z",
        Metadata::DELETION_TIMESTAMP
    )]
    DeletionTimestamp {
        /// The text.
        text: String,
    },
    /// A note has a key that is reserved for the service.
    #[error("metadata {key:?} is reserved: use the functions for finalizers and deletion")]
    Reserved {
        /// The key.
        key: String,
    },
}

debug_as_text!(MetadataError);

impl Metadata {
    /// The key of the time at which the resource was marked for deletion.
    pub const DELETION_TIMESTAMP: &str = "deletionTimestamp";
    /// The key of the finalizers.
    pub const FINALIZERS: &str = "finalizers";

    /// Returns whether there is no metadata.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.deletion.is_none() && self.finalizers.is_none()
    }

    /// Returns the note with a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.notes.get(key).map(String::as_str)
    }

    /// Iterates over the user notes, sorted by key.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.notes.iter().map(|(key, text)| (key.as_str(), text.as_str()))
    }

    /// Sets the note with a key.
    ///
    /// # Errors
    ///
    /// Fails if the key is reserved for the service.
    pub fn set(&mut self, key: impl Into<String>, text: impl Into<String>) -> Result<(), MetadataError> {
        let key = key.into();
        if key == Self::DELETION_TIMESTAMP || key == Self::FINALIZERS {
            return Err(MetadataError::Reserved { key });
        }
        self.notes.insert(key, text.into());
        Ok(())
    }

    /// Removes and returns the note with a key.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.notes.remove(key)
    }

    /// Returns the time at which the resource was marked for deletion.
    pub fn deletion_timestamp(&self) -> Option<Timestamp> {
        self.deletion
    }

    /// Returns whether the resource is marked for deletion.
    ///
    /// A marked resource disappears when its last finalizer is removed.
    pub fn is_marked_for_deletion(&self) -> bool {
        self.deletion.is_some()
    }

    /// Sets or removes the deletion mark.
    pub fn set_deletion_timestamp(&mut self, time: Option<Timestamp>) {
        self.deletion = time;
    }

    /// Iterates over the finalizers, in order.
    pub fn finalizers(&self) -> impl Iterator<Item = &Finalizer> {
        self.finalizers.iter().flatten()
    }

    /// Returns whether there are any finalizers.
    pub fn has_finalizers(&self) -> bool {
        self.finalizers.as_ref().is_some_and(|finalizers| !finalizers.is_empty())
    }

    /// Returns whether this finalizer is present.
    pub fn has_finalizer(&self, finalizer: &Finalizer) -> bool {
        self.finalizers.as_ref().is_some_and(|finalizers| finalizers.contains(finalizer))
    }

    /// Adds a finalizer, and returns whether it was absent before.
    pub fn add_finalizer(&mut self, finalizer: Finalizer) -> bool {
        self.finalizers.get_or_insert_default().insert(finalizer)
    }

    /// Removes a finalizer, and returns whether it was present.
    pub fn remove_finalizer(&mut self, finalizer: &Finalizer) -> bool {
        self.finalizers.as_mut().is_some_and(|finalizers| finalizers.remove(finalizer))
    }

    /// Returns whether a write of this metadata sets the finalizers, possibly to none.
    ///
    /// A write without finalizers keeps the stored ones.
    pub fn says_finalizers(&self) -> bool {
        self.finalizers.is_some()
    }

    /// Copies the finalizers from other metadata, including their absence.
    pub(crate) fn take_finalizers_of(&mut self, other: &Self) {
        self.finalizers.clone_from(&other.finalizers);
    }

    /// Normalizes the metadata for the store: an empty set of finalizers becomes `None`.
    pub(crate) fn normalize(&mut self) {
        self.finalizers.take_if(|finalizers| finalizers.is_empty());
    }

    /// Returns whether the user notes are equal.
    pub fn same_notes(&self, other: &Self) -> bool {
        self.notes == other.notes
    }
}

impl PartialEq for Metadata {
    /// Compares metadata; absent finalizers and an empty set are equal.
    fn eq(&self, other: &Self) -> bool {
        self.notes == other.notes
            && self.deletion == other.deletion
            && self.finalizers().eq(other.finalizers())
    }
}

impl Eq for Metadata {}

impl TryFrom<BTreeMap<String, String>> for Metadata {
    type Error = MetadataError;

    fn try_from(mut notes: BTreeMap<String, String>) -> Result<Self, MetadataError> {
        let deletion = notes
            .remove(Self::DELETION_TIMESTAMP)
            .map(|text| text.parse::<Timestamp>().map_err(|_| MetadataError::DeletionTimestamp { text }));
        // Every word of the text is a valid finalizer.
        let words = |text: String| text.split_whitespace().map(|word| Finalizer(word.into())).collect();
        let finalizers = notes.remove(Self::FINALIZERS).map(words);
        Ok(Self { notes, deletion: deletion.transpose()?, finalizers })
    }
}

impl From<Metadata> for BTreeMap<String, String> {
    fn from(metadata: Metadata) -> Self {
        let mut map = metadata.notes;
        if let Some(time) = metadata.deletion {
            map.insert(Metadata::DELETION_TIMESTAMP.to_owned(), time.to_string());
        }
        if let Some(finalizers) = metadata.finalizers {
            let words: Vec<&str> = finalizers.iter().map(Finalizer::as_str).collect();
            map.insert(Metadata::FINALIZERS.to_owned(), words.join(" "));
        }
        map
    }
}
