//! Tests of the types that a registry accepts and refuses.

use super::*;
use crate::resource::Preparer;
use crate::resource::{Renderer, Task};
use crate::status::Status;
use crate::types::schema::BlockKind;
use crate::types::schema::Kind;

/// A task that does nothing.
#[derive(Debug, converge_derive::SdkExport)]
struct Idle;

impl Task for Idle {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

/// Defines resources with these names and fields.
macro_rules! resources {
    ($($ty:ident = $name:literal, $fields:expr;)*) => {$(
        #[derive(Debug)]
        struct $ty;

        impl Preparer for $ty {
            type Task = Idle;

            const NAME: &'static str = $name;
            const DOC: &'static str = "";

            fn block() -> BlockKind {
                BlockKind { fields: $fields, rules: Vec::new() }
            }

            fn from_fields(_: Fields<'_>) -> Result<Self, Vec<FieldError>> {
                Ok(Self)
            }
        }

        impl Resource for $ty {
            async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Idle> {
                Ok(Idle)
            }
        }
    )*};
}

fn with_default<T: crate::types::convert::FromValue>(name: &'static str, default: impl Into<Value>) -> Field {
    let mut field = Field::new::<T>(name, "");
    field.default = Some(default.into());
    field
}

fn block(field: Field) -> Kind {
    Kind::Block(Box::new(BlockKind { fields: vec![field], rules: Vec::new() }))
}

fn holding(name: &'static str, kind: Kind) -> Field {
    let mut field = Field::new::<Value>(name, "");
    field.kind = kind;
    field
}

resources! {
    First = "a.one", vec![];
    Second = "a.one", vec![];
    Other = "a.two", vec![with_default::<u8>("n", "7")];
    Language = "param", vec![];
    BadWord = "a.bad", vec![{
        let mut field = Field::new::<Vec<crate::ensure::Ensure>>("state", "");
        field.valid_values = &["present", "gone"];
        field
    }];
    BadDefault = "a.bad", vec![with_default::<u8>("n", 256)];
    BadInBlock = "a.bad", vec![holding("part", block(with_default::<bool>("on", "yes")))];
    TwoOfOneName = "a.bad", vec![Field::new::<u8>("n", ""), Field::new::<u8>("n", "")];
    BadInList = "a.bad", vec![holding("parts", Kind::List(Box::new(block(holding(
        "inner", Kind::Map(Box::new(block(with_default::<u8>("n", "x"))))
    )))))];
}

/// Asserts the type names in a registry, or the error.
fn check(registry: Result<Registry, RegistryError>, expect: Result<&[&str], &str>) {
    let actual = registry.map(|registry| registry.iter().map(|found| found.name()).collect::<Vec<_>>());
    let actual = actual.map_err(|error| error.to_string().replace(module_path!(), "here"));
    assert_eq!(actual.as_deref().map_err(String::as_str), expect);
}

#[test]
fn names_are_sorted_and_unique() {
    check(Ok(Registry::new()), Ok(&[]));
    check(Registry::new().with::<Other>().and_then(Registry::with::<First>), Ok(&["a.one", "a.two"]));
    check(
        Registry::new().with::<First>().and_then(Registry::with::<Second>),
        Err(
            "two resource types are named `a.one`: here::First and here::Second; give one of them another name in its `#[preparer(name = \"..\")]`, or \
             register only one",
        ),
    );
    check(
        Registry::new().with::<First>().and_then(Registry::with::<First>),
        Err(
            "two resource types are named `a.one`: here::First and here::First; give one of them another name in its `#[preparer(name = \"..\")]`, or \
             register only one",
        ),
    );
    check(
        Registry::new().with::<Language>(),
        Err(
            "`param` belongs to the module language: here::Language needs another name in its `#[preparer(name = \"..\")]`",
        ),
    );
}

#[test]
fn a_default_must_fit_its_field_however_deep() {
    check(
        Registry::new().with::<BadDefault>(),
        Err("the definition of `a.bad` (here::BadDefault) is wrong: \
             the default of `n`: 256 is out of range: at least 0 and at most 255"),
    );
    check(
        Registry::new().with::<BadInBlock>(),
        Err("the definition of `a.bad` (here::BadInBlock) is wrong: \
             the default of `part.on`: \"yes\" is not a boolean: write true or false"),
    );
    check(
        Registry::new().with::<BadInList>(),
        Err("the definition of `a.bad` (here::BadInList) is wrong: \
             the default of `parts.inner.n`: \"x\" is not an integer"),
    );
}

#[test]
fn valid_values_are_values_of_the_type() {
    check(
        Registry::new().with::<BadWord>(),
        Err("the definition of `a.bad` (here::BadWord) is wrong: \
             \"gone\" in `valid_values` of `state` is not a value of its type"),
    );
}

#[test]
fn a_name_means_one_field() {
    check(
        Registry::new().with::<TwoOfOneName>(),
        Err(
            "the definition of `a.bad` (here::TwoOfOneName) is wrong: two fields are named `n`, its own or of blocks that it embeds: give one of them another name, `#[hcl(name = \"..\")]`",
        ),
    );
}

#[test]
fn every_type_of_the_program_registers_itself() {
    let registry = Registry::automatic().unwrap();
    assert!(registry.get("no.such").is_none());
    let names: Vec<_> = registry.iter().map(|entry| entry.name()).collect();
    assert!(names.is_sorted(), "{names:?}");
}
