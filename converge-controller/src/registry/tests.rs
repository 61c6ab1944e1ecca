use super::*;
use crate::identity::{Scope, Type};
use crate::resource::Data;

struct AnyData;

impl Hooks for AnyData {
    fn check_data(&self, _: &Data) -> Result<(), Cause> {
        Ok(())
    }
}

fn registration(name: &str, scope: Scope, origin: &str) -> Registration {
    Registration::new(name.parse::<Type>().unwrap(), scope, origin, AnyData)
}

#[test]
fn refusals() {
    #[track_caller]
    fn check(second: Registration, expect: &str) {
        let mut registry = TypeRegistry::new();
        registry.add(registration("demo.v1.Artist", Scope::Namespace, "demo::v1")).unwrap();
        let result = registry.add(second).map_err(|error| error.to_string());
        assert_eq!(result.err().unwrap_or_default(), expect);
    }
    check(registration("demo.v2.Artist", Scope::Namespace, "demo::v2"), "");
    check(registration("other.v1.Artist", Scope::Cluster, "other::v1"), "");
    check(
        registration("demo.v1.Artist", Scope::Namespace, "copy::v1"),
        "demo.v1.Artist is registered twice: by demo::v1 and by copy::v1",
    );
    check(
        registration("demo.v2.Artist", Scope::Partition, "demo::v2"),
        "demo.v2.Artist of demo::v2 is partition scoped, but demo.v1.Artist of demo::v1 is namespace scoped: versions of \
         one type share their resources",
    );
}

#[test]
fn types_are_found_by_name_and_listed_in_order() {
    let mut registry = TypeRegistry::new();
    for name in ["demo.v2.Artist", "demo.v1.Album", "demo.v1.Artist"] {
        registry.add(registration(name, Scope::Namespace, "demo")).unwrap();
    }
    let names = |types: Vec<&Registration>| {
        types.iter().map(|entry| entry.resource_type.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(registry.iter().collect()), "demo.v1.Album demo.v1.Artist demo.v2.Artist");
    let artist: Type = "demo.v2.Artist".parse().unwrap();
    assert_eq!(names(registry.versions(&artist).collect()), "demo.v1.Artist demo.v2.Artist");
    assert!(registry.get(&artist).is_some());
    assert!(registry.get(&"demo.v3.Artist".parse().unwrap()).is_none());
}
