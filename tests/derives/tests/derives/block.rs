//! Tests of `#[derive(HclBlock)]`.

use std::fmt::Debug;

use converge_core::schema::Kind;
use converge_core::value::Conversion;
use converge_core::value::{FromValue, Secret, Value};
use converge_core::{HclBlock, HclEnum};

/// Addresses of a network.
#[derive(Debug, HclBlock)]
#[expect(dead_code, reason = "only read through Debug")]
struct Ipam {
    /// The subnet.
    #[hcl(required)]
    subnet: String,
    /// The gateway.
    #[hcl(mutually_exclusive = "gateway,range")]
    gateway: Option<String>,
    /// The ip range.
    #[hcl(name = "range", mutually_exclusive = "gateway,range")]
    ip_range: Option<String>,
    /// The bits.
    #[hcl(default = 24, min = 1, max = 32)]
    bits: u8,
    /// The driver.
    driver: Option<Driver>,
}

/// The driver that assigns the addresses.
#[derive(Debug, HclBlock)]
#[expect(dead_code, reason = "only read through Debug")]
struct Driver {
    /// The kind.
    kind: Option<DriverKind>,
    /// The options.
    options: Vec<Opt>,
    /// The key.
    #[hcl(sensitive)]
    key: Option<Secret<String>>,
}

/// One option.
#[derive(Debug, HclBlock)]
#[expect(dead_code, reason = "only read through Debug")]
struct Opt {
    /// The name.
    #[hcl(required, nonempty)]
    name: String,
    /// The value.
    value: Value,
}

#[derive(Debug, HclEnum)]
enum DriverKind {
    Default,
    HostLocal,
}

fn check<T: FromValue + Debug>(value: impl Into<Value>, expect: &str) {
    let value = value.into();
    let actual = match T::from_value(value.clone(), &Conversion::default()) {
        Ok(block) => format!("{block:?}"),
        Err(errors) => {
            errors.iter().map(|error| format!("{}: {error}", error.path)).collect::<Vec<_>>().join("; ")
        }
    };
    assert_eq!(actual, expect, "for {value:?}");
}

#[test]
fn a_map_becomes_a_struct() {
    check::<Ipam>(
        [("subnet", "10.0.0.0"), ("gateway", "10.0.0.1")],
        "Ipam { subnet: \"10.0.0.0\", gateway: Some(\"10.0.0.1\"), ip_range: None, bits: 24, driver: None }",
    );
    check::<Driver>(
        Value::Map([("options".to_owned(), Value::from([("name", "a")]))].into_iter().collect()),
        "Driver { kind: None, options: [Opt { name: \"a\", value: null }], key: None }",
    );
}

#[test]
fn every_error_has_the_path_to_its_value() {
    let nameless: Value = [("value", 1)].into();
    let empty: Value = [("name", "")].into();
    let driver: Value =
        [("kind", Value::from("host")), ("options", Value::List(vec![nameless, empty]))].into();
    check::<Ipam>(
        [("gateway", Value::from("a")), ("range", "b".into()), ("bits", 33.into()), ("driver", driver)],
        "subnet: `subnet` is required; range: `gateway` and `range` are mutually exclusive; \
         bits: 33 is out of range: at least 1 and at most 32; \
         driver.kind: \"host\" is not one of default, host-local; \
         driver.options[0].name: `name` is required; driver.options[1].name: `name` must not be empty",
    );
    check::<Opt>([("name", "a"), ("nmae", "b")], "nmae: unknown field `nmae`");
    check::<Opt>("text", ": expected a block, found a string");
    check::<Opt>(Value::unknown("task.a.b"), ": the value is not known before task.a.b has been applied");
}

#[test]
fn a_secret_map_gives_away_nothing() {
    let secret = |entries: &[(&str, &str)]| {
        Value::Map(entries.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect())
            .into_secret()
    };
    check::<Ipam>(secret(&[("subnet", "a"), ("bits", "hunter2")]), "bits: (sensitive) is not an integer");
    check::<Driver>(secret(&[("kind", "hunter2")]), "kind: (sensitive) is not one of default, host-local");
    check::<Opt>(secret(&[("name", "a"), ("value", "hunter2")]), "Opt { name: \"a\", value: (sensitive) }");
}

#[test]
fn the_kind_describes_the_fields() {
    let Kind::Block(block) = Ipam::kind() else { unreachable!("a block is a block") };
    let names: Vec<_> = block.fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["subnet", "gateway", "range", "bits", "driver"]);
    assert_eq!(block.rules.len(), 1);
    assert_eq!(block.fields[4].kind, Driver::kind());
}
