//! The stored type for events that concern operators.

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{
    Id, InvalidName, Name, Partition, Reference, StoredEnum, StoredResource, Tenancy, Typed,
};

use super::history::{TEXT, shortened};
use crate::fleet::naming;

/// The maximum length of a reason and of an occurrence mark in bytes.
const WORD: usize = 120;

/// The severity of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum Severity {
    /// No severity was given.
    Unspecified = 0,
    /// Normal operation.
    Note = 1,
    /// A problem that needs attention.
    Warning = 2,
}

/// An event about a resource, with a count.
///
/// There is one for each resource and reason.
///
/// Controllers write it. It is deleted a week after its last occurrence, or if there are too many events.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = Event::check)]
pub(crate) struct Event {
    /// The resource that the event is about.
    ///
    /// It may no longer exist.
    #[stored(tag = 1)]
    pub about: Option<Reference>,
    /// The kind of event in one word.
    #[stored(tag = 2)]
    pub reason: String,
    /// Whether the event needs attention.
    #[stored(tag = 3)]
    pub severity: Severity,
    /// The message of the last occurrence.
    #[stored(tag = 4)]
    pub message: String,
    /// The time of the first occurrence, by the clock of the server.
    #[stored(tag = 5)]
    pub first: Option<Timestamp>,
    /// The time of the last occurrence.
    #[stored(tag = 6)]
    pub last: Option<Timestamp>,
    /// The number of occurrences.
    #[stored(tag = 7)]
    pub times: u64,
    /// The mark of the last occurrence, which prevents it from being counted twice.
    #[stored(tag = 8)]
    pub occurrence: String,
}

/// One occurrence of an event.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the stored field has this name")]
pub(crate) struct Occurrence {
    pub reason: &'static str,
    pub severity: Severity,
    pub message: String,
    pub at: Timestamp,
    /// The mark that distinguishes this occurrence from earlier ones.
    pub occurrence: String,
}

impl Event {
    /// Creates the event for a first occurrence.
    ///
    /// # Errors
    ///
    /// The name is invalid, which is a bug of this program.
    pub(crate) fn first_occurrence(subject: &Id, happened: Occurrence) -> Result<Typed<Self>, InvalidName> {
        let subject = Reference::from(subject.clone().without_uid());
        let Occurrence { reason, severity, message, at, occurrence } = happened;
        let name = Self::name_of(&subject, reason)?;
        let tenancy = Tenancy::Partition(partition_of(&subject));
        let data = Self {
            about: Some(subject),
            reason: reason.to_owned(),
            severity,
            message: shortened(&message, TEXT),
            first: Some(at),
            last: Some(at),
            times: 1,
            occurrence,
        };
        Ok(Typed::named(tenancy, name, data))
    }

    fn name_of(subject: &Reference, reason: &str) -> Result<Name, InvalidName> {
        let parts = [subject.to_string(), reason.to_owned()];
        naming::derived(&[&subject.name], &parts.each_ref().map(String::as_bytes))
    }

    fn check(event: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        let subject = invalid.field("about").present(event.about.as_ref());
        let expect = subject.and_then(|subject| Self::name_of(subject, &event.reason).ok());
        if let Some(expect) = expect.filter(|expect| *expect != event.id().name) {
            invalid.field("id").field("name").add(format!("is not {expect}, the name for this"));
        }
        let is_word = |text: &str| (1..=WORD).contains(&text.len());
        invalid.field("reason").require(is_word(&event.reason), "is empty, or too long");
        invalid.field("occurrence").require(is_word(&event.occurrence), "is empty, or too long");
        invalid.field("message").require(event.message.len() <= TEXT, "is too long");
        invalid.field("severity").require(event.severity != Severity::Unspecified, Cause::Missing);
        invalid.field("last").present(event.last.as_ref());
        invalid.finish()
    }
}

/// Returns the partition of the resource that an event is about.
fn partition_of(subject: &Reference) -> Partition {
    match &subject.tenancy {
        Tenancy::Cluster => Partition::default(),
        Tenancy::Partition(partition) | Tenancy::Namespace(partition, _) => partition.clone(),
    }
}
