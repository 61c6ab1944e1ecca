//! Tests of author mistakes that show when a type is registered or used, and of their messages.

#![expect(clippy::expect_used, dead_code, reason = "a test, of types of which nothing is read")]

use converge_core::prelude::embed::*;
use converge_core::prelude::*;

/// Compares the message with a snapshot, which the page of mistakes also shows.
fn assert_message(name: &str, message: impl std::fmt::Display) {
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, message);
    });
}

/// Defines a task that does nothing.
macro_rules! task {
    ($name:ident) => {
        impl Task for $name {
            async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
                Ok(Status::new())
            }

            async fn apply(&mut self, _: &Context) -> Result<Status> {
                Ok(Status::new())
            }
        }
    };
}

/// A marker.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "marker", task = Self, register = false)]
struct Marker {
    /// The path of the marker.
    path: String,
}
task!(Marker);

/// Returns the error for the definition of a type.
fn refused<R: Resource>() -> converge_core::RegistryError {
    Registry::new().with::<R>().expect_err("it is wrong")
}

/// Returns the errors of a module.
fn wrong(registry: &Registry, module: &str) -> String {
    Loader::new(registry).load_text("site.hcl", module).into_graph().expect_err("it is wrong").to_string()
}

#[test]
fn two_types_with_one_name() {
    /// Another marker.
    #[derive(Debug, Preparer, Export)]
    #[preparer(name = "marker", task = Self, register = false)]
    struct Other {}
    task!(Other);

    let registry = Registry::new().with::<Marker>().unwrap();
    assert_message("two_types_with_one_name", registry.with::<Other>().unwrap_err());
}

#[test]
fn a_name_of_the_language_that_is_not_registered_by_itself() {
    /// A parameter.
    #[derive(Debug, Preparer, Export)]
    #[preparer(name = "param", task = Self, register = false)]
    struct Param {}
    task!(Param);

    assert_message("a_name_of_the_language", refused::<Param>());
}

/// The common fields of several types.
#[derive(Debug, HclBlock)]
struct Common {
    /// The path of the file.
    path: Option<String>,
}

#[test]
fn a_field_that_an_embedded_block_has_too() {
    /// A file.
    #[derive(Debug, Preparer, Export)]
    #[preparer(name = "doubled", task = Self, register = false)]
    struct Doubled {
        #[hcl(embed)]
        common: Common,
        /// The path of the file.
        path: String,
    }
    task!(Doubled);

    assert_message("a_field_that_an_embedded_block_has_too", refused::<Doubled>());
}

#[test]
fn a_rule_about_a_field_that_no_embedded_block_has() {
    /// A file.
    #[derive(Debug, Preparer, Export)]
    #[preparer(name = "ruled", task = Self, register = false)]
    struct Ruled {
        #[hcl(embed)]
        common: Common,
        /// A text.
        #[hcl(requires = "pth")]
        text: Option<String>,
    }
    task!(Ruled);

    assert_message("a_rule_about_a_field_that_no_embedded_block_has", refused::<Ruled>());
}

#[test]
fn a_type_that_was_not_registered() {
    let registry = Registry::new().with::<Marker>().unwrap();
    assert_message(
        "a_type_that_was_not_registered",
        wrong(&registry, "makrer \"a\" {\n  path = \"/a\"\n}\n"),
    );
    assert_message("no_type_was_registered", wrong(&Registry::new(), "marker \"a\" {\n  path = \"/a\"\n}\n"));
}

#[test]
fn a_value_that_was_not_exported() {
    let registry = Registry::new().with::<Marker>().unwrap();
    let module = "marker \"a\" {\n  path = \"/a\"\n}\nmarker \"b\" {\n  path = marker.a.path\n}\n";
    assert_message("a_value_that_was_not_exported", wrong(&registry, module));
}

#[test]
fn state_that_the_program_does_not_give() {
    struct Store;
    /// A stored thing.
    #[derive(Debug, Preparer, Export)]
    #[preparer(name = "stored", task = Self, needs = Store, register = false)]
    struct Stored {}
    task!(Stored);

    let registry = Registry::new().with::<Stored>().unwrap();
    let loader = Loader::new(&registry).with_app_state(AppState::new());
    let error = loader.load_text("site.hcl", "stored \"a\" {}\n").into_graph().unwrap_err();
    assert_message("state_that_the_program_does_not_give", error);
}
