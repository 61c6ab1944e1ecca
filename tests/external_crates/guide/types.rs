//! The types of the guide: a bar, which refers to any resource, and a foo, which refers to bars.

use converge_controller::authorize::{Access, Authorizer, Verb};
use converge_controller::registry::{Cause as Failure, RegistryError, TypeRegistry};
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Id, Ref, StoredResource, Typed};

use crate::Walked;

/// The first type of the guide.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(
    group = "foo",
    version = "v1alpha1",
    scope = namespace,
    reserved(3),
    validate = Bar::check,
    mutate = Bar::fill_in,
    authorize(read = Bar::may_read)
)]
pub struct Bar {
    /// A text.
    #[stored(tag = 1)]
    pub baz: String,
    /// Any resource.
    #[stored(tag = 2)]
    pub qux: Option<Id>,
}

impl Bar {
    fn check(bar: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("baz").require(!bar.baz.is_empty(), Cause::Empty);
        invalid.field("baz").require(!bar.baz.contains('\n'), "has more than one line");
        invalid.finish()
    }

    fn fill_in(bar: &mut Typed<Self>) -> Result<(), Failure> {
        bar.baz = bar.baz.trim().to_owned();
        Ok(())
    }

    /// Allows a caller that may write the subject of a bar to read the bar.
    fn may_read(authorizer: &dyn Authorizer, _: &Id, bar: Option<&Typed<Self>>) -> Access {
        match bar {
            None => Access::NeedResource,
            Some(bar) => match &bar.qux {
                Some(qux) => authorizer.may(Verb::Write, qux).into(),
                None => Access::Allow,
            },
        }
    }
}

/// A resource that needs a bar.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "foo", version = "v1alpha1", scope = namespace)]
pub struct Foo {
    /// The needed bar.
    #[stored(tag = 1)]
    pub bar: Option<Ref<Bar>>,
}

/// A bar with a wider scope: its name is unique within a partition.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "foo", version = "v1alpha1", scope = partition)]
pub struct Wide {}

pub fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Bar>()?;
    types.register::<Foo>()?;
    types.register::<Wide>()
}

pub async fn types() -> Walked {
    assert_eq!(Bar::resource_type().to_string(), "foo.v1alpha1.Bar");
    let mut types = TypeRegistry::new();
    register_types(&mut types)?;
    // This file is generated, and other languages can read it.
    let files = types.files()?;
    let proto = files.iter().map(ToString::to_string).find(|file| file.contains("message Bar ")).ok_or("no file has it")?;
    assert!(proto.contains("string baz = 1;") && proto.contains("reserved 3;"), "{proto}");
    Ok(())
}

pub async fn registry() -> Walked {
    let mut types = TypeRegistry::new();
    register_types(&mut types)?;
    let twice = register_types(&mut types).unwrap_err().to_string();
    assert!(twice.starts_with("foo.v1alpha1.Bar is registered twice: by guide::types::Bar"), "{twice}");

    /// Another version of a type shares its resources, so it must have the same scope.
    #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
    #[stored(group = "foo", version = "v1", kind = "Wide", scope = cluster)]
    struct Wider {}
    let other = types.register::<Wider>().unwrap_err().to_string();
    assert!(other.contains("versions of one type share their resources"), "{other}");
    Ok(())
}
