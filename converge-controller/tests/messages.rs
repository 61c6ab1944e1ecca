//! Tests of error messages, except for those of the service in `src/service/tests/messages.rs`.

use std::error::Error;
use std::fmt::Write as _;

use converge_controller::registry::RegistryError;
use converge_controller::runtime::{
    CacheDefinitionError, CacheError, DependencyError, NotIndexed, RegisterError,
};
use converge_controller::storage::{
    CommitError, Fence, InvalidTransaction, OpenError, ReadError, RequirementState, Unavailable, WatchClosed,
};
use converge_controller::{Id, Resource, Scope, Type, Uid};

type Outcome = Result<(), Box<dyn Error>>;

/// A log with each message on its own line, below its subject.
#[derive(Default)]
struct Said(String);

impl Said {
    fn say(&mut self, situation: &str, error: &dyn Error) {
        let _ = writeln!(self.0, "{situation}\n    {error}");
    }
}

fn artist() -> Result<Type, Box<dyn Error>> {
    Ok("demo.v2.Artist".parse()?)
}

fn korn() -> Result<Box<Id>, Box<dyn Error>> {
    Ok(Box::new(Id::new(artist()?, Scope::Namespace.default_tenancy(), "korn".parse()?)))
}

#[test]
fn stores_of_all_kinds() -> Outcome {
    let mut messages = Said::default();
    messages.say("nothing of that name", &ReadError::NotFound { id: korn()? });
    let stored = Resource::new(*korn()?).into();
    let requested = "demo.v1.Artist".parse()?;
    messages.say("another version of the group", &ReadError::GroupVersionMismatch { requested, stored });
    messages.say("a conflict", &CommitError::Conflict { id: korn()? });
    messages.say("another uid", &CommitError::WrongUid { id: korn()?, stored: Uid::from_bits(7) });
    messages.say("nothing to delete", &CommitError::Gone { id: korn()? });
    for state in [RequirementState::Present, RequirementState::NotMarkedForDeletion] {
        messages.say("a requirement", &CommitError::Requirement { id: korn()?, state });
    }
    messages.say("a fence", &CommitError::Fenced { fence: Fence { lease: "albums".parse()?, token: 7 } });
    messages.say("no answer", &CommitError::Unavailable(Unavailable::new("the store is away")));
    messages.say("two changes of one", &InvalidTransaction::Twice { id: korn()? });
    messages.say("no uid", &InvalidTransaction::NoUid { id: korn()? });
    let too_large = InvalidTransaction::TooLarge { id: korn()?, bytes: 3_000_000_000, most: 2_147_483_647 };
    messages.say("too large", &too_large);
    for reason in [WatchClosed::TooSlow, WatchClosed::Restored, WatchClosed::Disconnected] {
        messages.say("the end of a watch", &reason);
    }
    messages.say(
        "a wrong name of a lease",
        &"a/b".parse::<converge_controller::storage::LeaseName>().unwrap_err(),
    );
    insta::assert_snapshot!(messages.0);
    Ok(())
}

#[test]
fn files() {
    let mut messages = Said::default();
    let path = || "/srv/resources.redb".into();
    for process in [None, Some(4711), Some(std::process::id())] {
        messages.say("in use", &OpenError::InUse { path: path(), process });
    }
    messages.say("a folder", &OpenError::Folder { path: "/srv".into() });
    messages.say(
        "something else",
        &OpenError::Foreign { path: path(), reason: "it is another kind of file".into() },
    );
    messages.say("a format of later", &OpenError::Format { path: path(), found: 2, known: 1 });
    messages.say("damage", &OpenError::Damaged { path: path(), reason: "it is empty".into() });
    let source = std::io::ErrorKind::PermissionDenied.into();
    messages.say("what the system refuses", &OpenError::File { path: path(), source });
    insta::assert_snapshot!(messages.0);
}

#[test]
fn registries_and_builders() -> Outcome {
    let mut messages = Said::default();
    let twice =
        RegistryError::Twice { resource_type: artist()?, first: "demo".into(), second: "copy".into() };
    messages.say("a type twice", &twice);
    let scope_error = RegistryError::Scope {
        resource_type: Box::new(artist()?),
        scope: Scope::Partition,
        second: "copy".into(),
        other: Box::new("demo.v1.Artist".parse()?),
        other_scope: Scope::Namespace,
        first: "demo".into(),
    };
    messages.say("another scope", &scope_error);

    let (controller, resource_type) = ("albums".to_owned(), artist()?);
    messages.say("no name", &RegisterError::Name { name: "a/b".to_owned() });
    let (name, first) = (controller.clone(), "demo.v2.Album".parse()?);
    messages.say("a name twice", &RegisterError::Twice { name, first, second: artist()? });
    let watch_of = |resource_type: &Type| (controller.clone(), resource_type.clone());
    let (unknown, watched) = (watch_of(&resource_type), watch_of(&resource_type));
    messages.say(
        "an unknown type",
        &RegisterError::UnknownType { controller: unknown.0, resource_type: unknown.1 },
    );
    messages.say(
        "a type watched twice",
        &RegisterError::WatchedTwice { controller: watched.0, resource_type: watched.1 },
    );
    let stream = "ticks".to_owned();
    messages.say("a stream twice", &RegisterError::StreamTwice { controller: controller.clone(), stream });

    let mistakes = [
        CacheDefinitionError::DuplicateIndex { resource_type: artist()?, index: "by-label" },
        CacheDefinitionError::TypeNotWatched { resource_type: artist()?, index: "by-label" },
        CacheDefinitionError::DuplicateQuery { query: "loud" },
    ];
    for mistake in mistakes {
        messages.say("a cache", &RegisterError::Cache { controller: controller.clone(), mistake });
    }
    messages.say(
        "two that watch each other",
        &DependencyError::Cycle { one: "demo.v2.Album".parse()?, other: artist()? },
    );
    let (managed, watched) = ("demo.v2.Album".parse()?, artist()?);
    messages.say("two that watch the same", &DependencyError::Duplicate { managed, watched });
    messages.say("a type that is not held", &CacheError::TypeNotIndexed { resource_type: artist()? });
    messages.say("no such index", &CacheError::IndexNotFound { resource_type: artist()?, index: "by-label" });
    messages.say("no such query", &CacheError::QueryNotFound { query: "loud" });
    messages.say("a key that is required", &NotIndexed::MissingRequired { id: korn()?, index: "by-label" });
    insta::assert_snapshot!(messages.0);
    Ok(())
}
