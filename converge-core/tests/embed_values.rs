//! Tests of the conversion of Rust values to module values, and of registries from several types.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use converge_core::graph::NodeId;
use converge_core::load::{Loader, Memory, Sources};
use converge_core::prelude::*;
use converge_core::value::Text;
use converge_core::{Registry, RegistryError};
use proptest::prelude::{ProptestConfig, Strategy, any, proptest};

fn check(value: impl Into<Value>, expect: &str) {
    assert_eq!(value.into().to_string(), expect);
}

#[test]
fn what_programs_hold_is_a_value() {
    check(443_usize, "443");
    check(-1_isize, "-1");
    check(usize::MAX, "\"18446744073709551615\"");
    check(7_u8, "7");
    check(1.5_f32, "1.5");
    check(Some("a"), "\"a\"");
    check(None::<u16>, "null");
    check(vec![Some(1), None], "[1, null]");
    check(&["a".to_owned(), "b".to_owned()][..], "[\"a\", \"b\"]");
    check(Arc::<str>::from("a"), "\"a\"");
    check(BTreeMap::from([("b", 1), ("a", 2)]), "{a = 2, b = 1}");
    check(HashMap::from([("b", vec![true]), ("a", vec![])]), "{a = [], b = [true]}");
    check([("b", 1), ("a", 2)], "{b = 1, a = 2}");
    check(converge_core::value::Secret::new("hunter2"), "(sensitive)");
    check(serde_json::json!({ "ports": [80, null], "x": 1.5 }), "{ports = [80, null], x = 1.5}");
}

#[test]
fn names_and_texts_are_taken_as_a_program_holds_them() {
    fn check(text: impl Into<Text>) {
        let registry = Registry::new();
        let modules = Memory::new().with("web.hcl", text);
        let graph =
            Loader::new(&registry).with_sources(Sources::only(modules)).load("web.hcl").into_graph().unwrap();
        assert!(graph.find("root/param.port").is_some());
    }
    let text = "param \"port\" { type = \"number\"\n default = 80 }".to_owned();
    check(&text);
    check(text.as_str());
    check(text.clone());
    check(text.clone().into_boxed_str());
    check(Cow::from(&text));
    let shared = Arc::<str>::from(&*text);
    check(&shared);
    check(shared);

    let (registry, name) = (Registry::new(), "port".to_owned());
    let main = ("main.hcl".to_owned(), "module \"web.hcl\" \"web\" {}".to_owned());
    let mut modules: Memory = HashMap::from([("web.hcl".to_owned(), text.clone()), main]).iter().collect();
    modules.extend([("main.hcl", "module \"web.hcl\" \"api\" {}")]);
    let graph =
        Loader::new(&registry).with_sources(Sources::only(modules)).load("main.hcl").into_graph().unwrap();
    assert!(graph.find("root/module.api/param.port").is_some());
    assert!(Loader::new(&registry).with_param(&name, 8080).load_text("web.hcl", &text).into_graph().is_ok());
}

#[test]
fn a_resource_passes_on_what_is_wrong_with_ids_and_paths() {
    fn waits_for(id: &str) -> Result<NodeId> {
        Ok(id.parse()?)
    }
    fn named(path: &Path) -> Result<Value> {
        Ok(Value::try_from(path)?)
    }
    assert_eq!(
        waits_for("task.a").unwrap_err().to_string(),
        "`task.a` is not the path of a node: it does not begin with `root`"
    );
    let error = named(Path::new(OsStr::from_bytes(b"/\xff"))).unwrap_err();
    assert!(error.to_string().ends_with("is not UTF-8, so no value can name it"), "{error}");
}

#[test]
fn a_parameter_takes_what_a_program_holds() {
    let registry = Registry::new();
    let module = "param \"ports\" { type = \"list(number)\" }";
    let loaded = Loader::new(&registry).with_param("ports", vec![80_usize, 443]).load_text("web.hcl", module);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn a_path_that_is_not_text_is_refused() {
    assert_eq!(Value::try_from(PathBuf::from("/srv/ä")), Ok(Value::from("/srv/ä")));
    let path = Path::new(OsStr::from_bytes(b"/srv/\xff"));
    for refused in [Value::try_from(path), Value::try_from(path.to_path_buf())] {
        let error = refused.unwrap_err();
        assert_eq!(error.path, path);
        assert_eq!(error.to_string(), "/srv/\u{fffd} is not UTF-8, so no value can name it");
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = proptest::prop_oneof![
        proptest::strategy::Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<u64>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(|eighths| serde_json::Value::from(f64::from(eighths) / 8.0)),
        "[a-z\"\\\\ä]{0,4}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        proptest::prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..4)
                .prop_map(|items| serde_json::Value::Object(items.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A parsed JSON value and its text convert to the same value.
    #[test]
    fn json_is_what_its_text_is(json in json()) {
        let read: Value = serde_json::from_str(&json.to_string()).unwrap();
        proptest::prop_assert_eq!(Value::from(json), read);
    }
}

/// A task that does nothing.
#[derive(Debug, Export)]
struct Done;

impl Task for Done {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

macro_rules! resources {
    ($($ty:ident $name:literal;)*) => {$(
        /// A resource.
        #[derive(Debug, Preparer)]
        #[preparer(name = $name, task = Done, register = false)]
        struct $ty {}

        impl Resource for $ty {
            async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Done> {
                Ok(Done)
            }
        }
    )*};
}

resources! {
    Host "fleet.host";
    Zone "fleet.zone";
    OtherZone "fleet.zone";
    Param "param";
}

#[test]
fn a_registry_is_built_with_one_question_mark() -> std::result::Result<(), RegistryError> {
    let registry =
        Registry::builder().with::<Host>().with::<Zone>().with_absent("fleet.dns", "`dns`").build()?;
    let names: Vec<_> = registry.iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["fleet.host", "fleet.zone"]);
    assert_eq!(registry.absent("fleet.dns"), Some("`dns`"));
    Ok(())
}

#[test]
fn a_builder_tells_all_that_it_refuses() {
    let zone = RegistryError::Duplicate {
        name: "fleet.zone",
        first: "embed_values::Zone",
        second: "embed_values::OtherZone",
    };
    let param = RegistryError::Reserved { name: "param", rust_name: "embed_values::Param" };
    let single = Registry::builder().with::<Zone>().with::<OtherZone>().with::<Host>().build();
    assert_eq!(single.unwrap_err(), zone);
    let double = Registry::builder().with::<Zone>().with::<OtherZone>().with::<Param>().build().unwrap_err();
    assert_eq!(double.to_string(), format!("{zone}\n{param}"));
    assert_eq!(double, RegistryError::Several(vec![zone, param]));
}
