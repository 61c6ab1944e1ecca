//! What `#[derive(Preparer)]` makes of a struct.

use std::collections::BTreeMap;
use std::time::Duration;

use converge_core::prelude::*;
use converge_core::schema::{Fields, Kind, Rule};
use converge_core::value::FieldError;

/// Sets the user and group that own a file or directory.
///
/// Both may be given by name or by number.
#[derive(Debug, PartialEq, Preparer)]
#[preparer(name = "test.owner", task = Owner)]
pub struct OwnerPreparer {
    /// Path of the file.
    #[hcl(required, nonempty)]
    pub destination: String,
    /// Owner, by user name.
    #[hcl(name = "user", mutually_exclusive = "user,uid")]
    pub username: Option<String>,
    /// Owner, by numeric user id.
    #[hcl(mutually_exclusive = "user,uid", max = 70000)]
    pub uid: Option<u32>,
    /// Mode.
    #[hcl(base = 8, default = "0644")]
    pub mode: u32,
    /// How long.
    #[hcl(default = "1m30s")]
    pub timeout: Duration,
    recursive: bool,
    flags: Vec<String>,
    env: BTreeMap<String, i64>,
    #[hcl(sensitive)]
    password: Option<Secret<String>>,
    r#type: String,
}

/// Ownership of one path.
#[derive(Debug, Export)]
pub struct Owner {
    /// Path that is managed.
    #[export]
    destination: String,
}

#[async_trait]
impl Resource for OwnerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Owner> {
        Ok(Owner { destination: self.destination })
    }
}

#[async_trait]
impl Task for Owner {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn read<T: Preparer>(entries: &[(&str, Value)]) -> Result<T, Vec<FieldError>> {
    let block = T::block();
    let map = entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    T::from_fields(Fields::from_map(&block.fields, map))
}

#[test]
fn the_type_is_the_specification() {
    let schema = OwnerPreparer::schema();
    assert_eq!(schema.name, "test.owner");
    assert_eq!(
        schema.doc,
        "Sets the user and group that own a file or directory.\n\nBoth may be given by name or by number."
    );
    let names: Vec<_> = schema.fields.iter().map(|field| field.name).collect();
    assert_eq!(
        names,
        ["destination", "user", "uid", "mode", "timeout", "recursive", "flags", "env", "password", "type"]
    );
    assert_eq!(schema.rules, [Rule::MutuallyExclusive(&["user", "uid"])]);
    assert_eq!(schema.fields[0].doc, "Path of the file.");
    assert_eq!(schema.fields[5].kind, Kind::Bool);
    assert_eq!(schema.exports[0].name, "destination");
    let read = read::<OwnerPreparer>(&[("destination", "/a".into())]).unwrap();
    assert_eq!(read.mode, 0o644);
    assert_eq!(read.timeout, Duration::from_secs(90));
}
