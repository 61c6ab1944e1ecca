//! The messages of the compiler: each file in `tests/ui` holds one mistake and is named for it, and the `.stderr` beside it holds what
//! the compiler says. Mistakes in `program` are those of programs that use the engine, in `features` those of who left a feature out, and
//! all others are of the derive that the folder is named for.
//!
//! | mistakes in `program` | the compiler says |
//! | --- | --- |
//! | a part of a system without `#[async_trait]`, written anew or wrapped | which attribute is missing |
//! | a resource with `#[async_trait]` | that there is none |
//! | a task that cannot go on in another thread | what it keeps, and where it waits |
//! | an error of one's own with `?` | what to write for it |
//! | a run that is not awaited, or is spawned with what it borrows | what begins it, and what it borrows |
//! | a sink that is none, or of one thread | what a sink is |
//! | events matched as if there were no more | the arm that is missing |
//! | state of one thread | that state is shared by threads |
//! | a system that is not shared, a graph that is not | what makes it so |
//! | a registered type that nobody prepares | which trait is missing |
//! | what was loaded run as a graph, a stored plan applied as text | how it becomes one |
//! | text as a source of modules, or as an owner | what is one |
//! | a function or an export of a type that is no value | which types are |
//!
//! The messages belong to the toolchain that `rust-version` names. After a change of it or of a message, write them anew with
//! `TRYBUILD=overwrite cargo test -p converge-usage`, and read each changed file: one message for each mistake, on the token that is
//! wrong, saying what to write.

const FOLDERS: [&str; 11] = [
    "preparer",
    "export",
    "block",
    "enum",
    "text",
    "stored_resource",
    "stored_message",
    "stored_enum",
    "stored_oneof",
    "program",
    "features",
];

// One test, and one `TestCases`: each would check all dependencies again.
#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    for folder in FOLDERS {
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
}
