//! What an operator wants to know of.

use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{
    Id, InvalidName, Name, Partition, Reference, StoredEnum, StoredResource, Tenancy, Typed,
};

use super::history::{TEXT, shortened};
use crate::fleet::naming;

/// How long the word for what happened, and the mark of an occurrence, may be, in bytes.
const WORD: usize = 120;

/// Whether somebody should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "converge", version = "v1")]
pub(crate) enum Severity {
    /// Nobody has said.
    Unspecified = 0,
    /// It is as it should be.
    Note = 1,
    /// Somebody should look.
    Warning = 2,
}

/// Something that happened to a resource, and how often: there is one for each resource and reason.
///
/// Controllers write it. It goes when it has not happened for a week, or when there are too many.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "converge", version = "v1", scope = partition, validate = Event::check)]
pub(crate) struct Event {
    /// To what it happened. This may be gone.
    #[stored(tag = 1)]
    pub about: Option<Reference>,
    /// What happened, in one word.
    #[stored(tag = 2)]
    pub reason: String,
    /// Whether somebody should look.
    #[stored(tag = 3)]
    pub severity: Severity,
    /// What happened, the last time.
    #[stored(tag = 4)]
    pub message: String,
    /// When it happened the first time, by the clock of the server.
    #[stored(tag = 5)]
    pub first: Option<Timestamp>,
    /// When it happened the last time.
    #[stored(tag = 6)]
    pub last: Option<Timestamp>,
    /// How often.
    #[stored(tag = 7)]
    pub times: u64,
    /// Which time the last one was, so that none is counted twice.
    #[stored(tag = 8)]
    pub occurrence: String,
}

/// Something that happened once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Happened {
    pub reason: &'static str,
    pub severity: Severity,
    pub message: String,
    pub at: Timestamp,
    /// Tells it from the time before.
    pub occurrence: String,
}

impl Event {
    /// That this happened, for the first time.
    ///
    /// # Errors
    ///
    /// Its name cannot be made, which is a mistake of this program.
    pub(crate) fn of(about: &Id, happened: Happened) -> Result<Typed<Self>, InvalidName> {
        let about = Reference::from(about.clone().without_uid());
        let Happened { reason, severity, message, at, occurrence } = happened;
        let name = Self::name_of(&about, reason)?;
        let tenancy = Tenancy::Partition(partition_of(&about));
        let data = Self {
            about: Some(about),
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

    fn name_of(about: &Reference, reason: &str) -> Result<Name, InvalidName> {
        let parts = [about.to_string(), reason.to_owned()];
        naming::derived(&[&about.name], &parts.each_ref().map(String::as_bytes))
    }

    fn check(event: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        let about = invalid.field("about").present(event.about.as_ref());
        let expect = about.and_then(|about| Self::name_of(about, &event.reason).ok());
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

/// The partition of what something happened to.
fn partition_of(about: &Reference) -> Partition {
    match &about.tenancy {
        Tenancy::Cluster => Partition::default(),
        Tenancy::Partition(partition) | Tenancy::Namespace(partition, _) => partition.clone(),
    }
}
