//! What is noted about a resource.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Who has something to do before a resource may go, by name: `example.org/volume`.
///
/// ```
/// use converge_controller::Finalizer;
///
/// assert!("example.org/volume".parse::<Finalizer>().is_ok());
/// assert!("two words".parse::<Finalizer>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finalizer(Arc<str>);

/// A text is not a [`Finalizer`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a finalizer: it is one word or more characters without blanks, such as example.org/volume"
)]
pub struct InvalidFinalizer {
    /// The text as it was given.
    pub text: String,
}

impl Finalizer {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Finalizer {
    type Err = InvalidFinalizer;

    fn from_str(text: &str) -> Result<Self, InvalidFinalizer> {
        // Finalizers are stored as one text with blanks between them.
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

/// What is noted about a resource: notes of its users, as texts by key, and two notes that the service reads. Those
/// have keys too, which no other note can have: [`deletionTimestamp`](Metadata::DELETION_TIMESTAMP), the time at which
/// the resource was marked for deletion, and [`finalizers`](Metadata::FINALIZERS), who has something to do before it
/// may go.
///
/// Where it comes from outside it is a map of texts:
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
    /// Absent is not the same as empty to who writes: absent keeps what is stored, empty clears it.
    finalizers: Option<BTreeSet<Finalizer>>,
}

/// A map of texts is not [`Metadata`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The mark is not a time.
    #[error(
        "metadata {:?} is {text:?}, which is not a time of RFC 3339 such as 2026-01-31T12:00:00Z",
        Metadata::DELETION_TIMESTAMP
    )]
    DeletionTimestamp {
        /// The text as it was given.
        text: String,
    },
    /// A note has a key that means something to the service.
    #[error("metadata {key:?} is no note: finalizers and the mark for deletion have functions of their own")]
    Reserved {
        /// The key.
        key: String,
    },
}

impl Metadata {
    /// The key of the time at which the resource was marked for deletion.
    pub const DELETION_TIMESTAMP: &str = "deletionTimestamp";
    /// The key of who has something to do before the resource may go.
    pub const FINALIZERS: &str = "finalizers";

    /// Whether nothing is noted.
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.deletion.is_none() && self.finalizers.is_none()
    }

    /// The note of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.notes.get(key).map(String::as_str)
    }

    /// The notes of users, in the order of their keys.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.notes.iter().map(|(key, text)| (key.as_str(), text.as_str()))
    }

    /// Sets the note of a key.
    ///
    /// # Errors
    ///
    /// The key means something to the service.
    pub fn set(&mut self, key: impl Into<String>, text: impl Into<String>) -> Result<(), MetadataError> {
        let key = key.into();
        if key == Self::DELETION_TIMESTAMP || key == Self::FINALIZERS {
            return Err(MetadataError::Reserved { key });
        }
        self.notes.insert(key, text.into());
        Ok(())
    }

    /// Takes the note of a key away.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.notes.remove(key)
    }

    /// When the resource was marked for deletion.
    pub fn deletion_timestamp(&self) -> Option<Timestamp> {
        self.deletion
    }

    /// Whether the resource is marked for deletion: it goes when its last finalizer is removed.
    pub fn is_marked_for_deletion(&self) -> bool {
        self.deletion.is_some()
    }

    /// Marks the resource for deletion, or takes the mark away.
    pub fn set_deletion_timestamp(&mut self, time: Option<Timestamp>) {
        self.deletion = time;
    }

    /// Who has something to do before the resource may go, in order.
    pub fn finalizers(&self) -> impl Iterator<Item = &Finalizer> {
        self.finalizers.iter().flatten()
    }

    /// Whether anybody has something to do before the resource may go.
    pub fn has_finalizers(&self) -> bool {
        self.finalizers.as_ref().is_some_and(|finalizers| !finalizers.is_empty())
    }

    /// Whether this one has something to do before the resource may go.
    pub fn has_finalizer(&self, finalizer: &Finalizer) -> bool {
        self.finalizers.as_ref().is_some_and(|finalizers| finalizers.contains(finalizer))
    }

    /// Adds one that has something to do; whether it was not there yet.
    pub fn add_finalizer(&mut self, finalizer: Finalizer) -> bool {
        self.finalizers.get_or_insert_default().insert(finalizer)
    }

    /// Takes one away that is done; whether it was there.
    pub fn remove_finalizer(&mut self, finalizer: &Finalizer) -> bool {
        self.finalizers.as_mut().is_some_and(|finalizers| finalizers.remove(finalizer))
    }

    /// Whether the finalizers are the subject of a write that gives this metadata, be it to clear them. A write that
    /// says nothing of them keeps those that are stored.
    pub fn says_finalizers(&self) -> bool {
        self.finalizers.is_some()
    }

    /// Takes the finalizers, and whether they are said at all, from elsewhere.
    pub(crate) fn take_finalizers_of(&mut self, other: &Self) {
        self.finalizers.clone_from(&other.finalizers);
    }

    /// The one form in which it is stored: who has no finalizers does not say so.
    pub(crate) fn normalize(&mut self) {
        self.finalizers.take_if(|finalizers| finalizers.is_empty());
    }

    /// Whether the notes of users are the same.
    pub fn same_notes(&self, other: &Self) -> bool {
        self.notes == other.notes
    }
}

impl PartialEq for Metadata {
    /// No finalizers and an empty set of them are the same.
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
        // A part of a text between blanks is always a finalizer.
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
