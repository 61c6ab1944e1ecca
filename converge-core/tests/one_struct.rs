//! Tests of a resource that is its own task, so that each field is written once.
#![cfg(feature = "testing")]

use std::time::Instant;

use converge_core::Registry;
use converge_core::prelude::*;
use converge_core::schema::Fields;
use converge_core::system::ModelSystem;
use converge_core::testing;

macro_rules! task {
    ($task:ident) => {
        impl Task for $task {
            async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
                self.seen += 1;
                let mut status = Status::new();
                status.add_message(format!("{} is {}, seen {}", self.name, self.state.as_str(), self.seen));
                Ok(status)
            }

            async fn apply(&mut self, _cx: &Context) -> Result<Status> {
                Ok(Status::new())
            }
        }
    };
}

/// An entry.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.entry", task = Self, register = false)]
struct Entry {
    /// The name of the entry.
    #[hcl(required, nonempty)]
    #[export]
    name: String,
    /// The desired existence of the entry.
    #[export]
    state: Ensure,
    /// The number of checks so far.
    #[hcl(skip)]
    #[export(computed)]
    seen: u32,
    #[hcl(skip)]
    began: Option<Instant>,
}
task!(Entry);

/// A resource that names its own struct as task and has its own `prepare`.
#[derive(Debug, Preparer, Export)]
#[preparer(name = "test.prepared", task = Prepared, prepare, register = false)]
struct Prepared {
    /// The name of the entry.
    #[hcl(required)]
    #[export]
    name: String,
    /// The desired existence of the entry.
    #[export]
    state: Ensure,
    #[hcl(skip)]
    seen: u32,
}
task!(Prepared);

impl Resource for Prepared {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Self> {
        if self.name.contains(' ') {
            return Err(Error::msg("a name has no spaces"));
        }
        Ok(Self { name: self.name.to_lowercase(), ..self })
    }
}

/// A block with a field that modules do not write.
#[derive(Debug, HclBlock)]
struct Block {
    /// A count.
    count: u32,
    #[hcl(skip)]
    began: Option<Instant>,
}

async fn checked<R>(fields: &[(&'static str, &str)]) -> std::result::Result<String, String>
where
    R: Resource,
{
    let model = std::sync::Arc::new(ModelSystem::new());
    let (cx, renderer) = (testing::context(&model), testing::FakeRenderer::new());
    let values = fields.iter().map(|(name, value)| (*name, Value::from(*value)));
    let values: Vec<_> = values.collect();
    let mut task = testing::prepare::<R>(values, &cx, &renderer).await.map_err(|error| error.to_string())?;
    let status = task.check(&cx, &renderer).await.map_err(|error| error.to_string())?;
    Ok(status.messages().join("; "))
}

#[tokio::test]
async fn one_struct_is_read_and_checked() {
    async fn check<R: Resource>(fields: &[(&'static str, &str)], expect: std::result::Result<&str, &str>) {
        let actual = checked::<R>(fields).await;
        assert_eq!(actual.as_deref().map_err(String::as_str), expect, "{} {fields:?}", R::NAME);
    }
    check::<Entry>(&[("name", "A")], Ok("A is present, seen 1")).await;
    check::<Entry>(&[("name", "A"), ("state", "absent")], Ok("A is absent, seen 1")).await;
    check::<Entry>(&[("name", "A"), ("state", "gone")], Err("state: \"gone\" is not one of present, absent"))
        .await;
    check::<Entry>(&[("name", "A"), ("seen", "5")], Err("seen: unknown field `seen`")).await;
    check::<Entry>(&[], Err("name: `name` is required")).await;
    check::<Prepared>(&[("name", "A")], Ok("a is present, seen 1")).await;
    check::<Prepared>(&[("name", "A b")], Err("a name has no spaces")).await;
}

#[test]
fn what_modules_do_not_write_is_in_no_schema() {
    let schema = <Entry as converge_core::Preparer>::schema();
    let fields: Vec<_> = schema.fields.iter().map(|field| field.name).collect();
    assert_eq!(fields, ["name", "state"]);
    let exports: Vec<_> = schema.exports.iter().map(|export| (export.name, export.computed)).collect();
    assert_eq!(exports, [("name", false), ("state", false), ("seen", true)]);
    assert!(Registry::new().with::<Entry>().unwrap().with::<Prepared>().is_ok());
    let entry = <Entry as converge_core::Preparer>::from_fields(Fields::from_map(
        &<Entry as converge_core::Preparer>::block(),
        [("name".to_owned(), Value::from("a"))],
    ));
    assert!(entry.is_ok_and(|entry| entry.began.is_none()));
}

#[test]
fn a_block_may_have_some_too() {
    let read = |entries: &[(&str, i64)]| {
        let value = Value::Map(
            entries.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect(),
        );
        Block::from_value(value, &converge_core::value::Conversion::default())
    };
    let block = read(&[("count", 3)]).unwrap();
    assert_eq!((block.count, block.began), (3, None));
    assert!(read(&[("began", 3)]).is_err());
}
