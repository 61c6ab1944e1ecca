//! Tests of compiler messages for mistakes in the use of the engine and the derives.
//!
//! Each file in `tests/ui` contains one mistake and is named after it, and the `.stderr` file beside it
//! contains the messages. The folder `program` has mistakes of programs that use the engine, and `features`
//! has uses of features that are off. The other folders are named after the derive that they test.
//!
//! | mistakes in `program` | the compiler says |
//! | --- | --- |
//! | a part of a system without `#[async_trait]`, new or wrapped | which attribute is missing |
//! | a resource with `#[async_trait]` | that there must be none |
//! | a task that cannot move to another thread | what it keeps, and where it waits |
//! | a custom error with `?` | what to write for it |
//! | a run that is not awaited, or is spawned with a borrow | what starts it, and what it borrows |
//! | a sink that is none, or of one thread | what a sink is |
//! | events matched as if the list were complete | the arm that is missing |
//! | state of one thread | that state is shared by threads |
//! | a system or a graph that is not shared | how to share it |
//! | a registered type without `Resource` | which trait is missing |
//! | a loaded module run as a graph, a stored plan applied as text | how to convert it |
//! | text as a source of modules, or as an owner | which types are allowed |
//! | a function or an export of a type that is not a value | which types are |
//!
//! The messages belong to the toolchain in `rust-version`. After a change of the toolchain or of a message,
//! regenerate them with `TRYBUILD=overwrite cargo test -p converge-usage` and read each changed file. Each
//! mistake must have one message, on the wrong token, that says what to write.

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

// There is one test with one `TestCases`, because each of them would check all dependencies again.
#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    for folder in FOLDERS {
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
}
