//! Tests of `#[derive(HclText)]`.

use std::fmt;
use std::str::FromStr;

use converge_core::HclText;
use converge_core::schema::{Kind, Shape};
use converge_core::value::Conversion;
use converge_core::value::{FromValue, ToValue, Value};

/// A TCP port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclText)]
struct Port(u16);

/// An error for a text that is not a port.
#[derive(Debug)]
struct NoPort(String);

impl fmt::Display for NoPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a port", self.0)
    }
}

impl FromStr for Port {
    type Err = NoPort;

    fn from_str(text: &str) -> Result<Self, NoPort> {
        text.parse().map(Self).map_err(|_| NoPort(text.to_owned()))
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn check(value: impl Into<Value>, expect: Result<Port, &str>) {
    let value = value.into();
    let actual = Port::from_value(value.clone(), &Conversion::default());
    let actual =
        actual.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
    assert_eq!(actual, expect.map_err(str::to_owned), "for {value:?}");
}

#[test]
fn texts_are_read() {
    check("22", Ok(Port(22)));
    // Numbers count as text, as for a field of type `String`.
    check(22, Ok(Port(22)));
    check(Value::string("22").into_secret(), Ok(Port(22)));
    check("ssh", Err("\"ssh\" is not a port"));
    check(Value::string("hunter2").into_secret(), Err("(sensitive) is not what can stand here"));
    check(vec!["22"], Err("expected a string, found a list"));
}

#[test]
fn texts_are_written() {
    assert_eq!(Port(22).to_value(), Value::string("22"));
    assert_eq!((Port::kind(), Port::shape()), (Kind::String, Shape::Plain));
}

/// The name of a user, with a pattern and no further checks.
#[derive(Clone, Debug, PartialEq, HclText)]
#[hcl(pattern = "^[a-z]+$", expects = "a name: a-z")]
struct Name(String);

/// A type with a pattern and its own parser.
#[derive(Debug, PartialEq, HclText)]
#[hcl(pattern = "^v[0-9]+$")]
struct Version(u32);

impl FromStr for Version {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim_start_matches('v').parse().map(Self)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A type that is parsed and never written.
#[derive(Debug, Default, PartialEq, HclText)]
struct Word(String);

impl FromStr for Word {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(' ') {
            Err(format!("{text:?} is more than a word"))
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

/// An enum that is parsed from text.
#[derive(Debug, PartialEq, HclText)]
#[hcl(pattern = "^[0-9a-z]+$")]
enum Amount {
    All,
    Some(u32),
}

impl FromStr for Amount {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" { Ok(Self::All) } else { text.parse().map(Self::Some) }
    }
}

#[test]
fn a_pattern_on_the_type_goes_first() {
    fn check<T: FromValue + fmt::Debug>(value: impl Into<Value>, expect: Result<&str, &str>) {
        let value = value.into();
        let actual = T::from_value(value.clone(), &Conversion::default()).map(|found| format!("{found:?}"));
        let actual = actual.map_err(|errors| {
            let lines = errors.iter().map(|error| format!("{}: {error}", error.path));
            lines.collect::<Vec<_>>().join("; ")
        });
        assert_eq!(actual, expect.map(str::to_owned).map_err(str::to_owned), "for {value:?}");
    }
    check::<Name>("ada", Ok("Name(\"ada\")"));
    check::<Name>("Ada", Err(": \"Ada\" is not a name: a-z"));
    check::<Name>(7, Err(": 7 is not a name: a-z"));
    check::<Name>(Value::string("HUNTER2").into_secret(), Err(": (sensitive) is not a name: a-z"));
    check::<Name>(vec!["ada"], Err(": expected a string, found a list"));
    check::<Vec<Option<Name>>>(vec!["ada", "Ada"], Err("[1]: \"Ada\" is not a name: a-z"));
    check::<Version>("v3", Ok("Version(3)"));
    check::<Version>("3", Err(": \"3\" does not match the pattern `^v[0-9]+$`"));
    check::<Version>("v99999999999", Err(": number too large to fit in target type"));
    check::<Word>("a", Ok("Word(\"a\")"));
    check::<Word>("a b", Err(": \"a b\" is more than a word"));
    check::<Amount>("all", Ok("All"));
    check::<Amount>(5, Ok("Some(5)"));
    check::<Amount>("-5", Err(": \"-5\" does not match the pattern `^[0-9a-z]+$`"));
}

#[test]
fn what_is_around_a_text_is_written_as_it_or_as_the_type_says() {
    assert_eq!(Name("ada".to_owned()).to_value(), Value::from("ada"));
    assert_eq!(Version(3).to_value(), Value::from("v3"));
}

/// Fields with text types.
#[derive(Debug, converge_core::HclBlock)]
#[expect(dead_code, reason = "only read through Debug")]
struct Fields {
    /// The name.
    name: Name,
    /// The names.
    names: Vec<Option<Name>>,
    /// The user's own name.
    #[hcl(pattern = "^a")]
    own: Option<Name>,
    /// The word.
    word: Word,
}

impl Default for Name {
    fn default() -> Self {
        Self("nobody".to_owned())
    }
}

#[test]
fn the_pattern_of_a_type_is_in_the_description_of_its_fields() {
    let Kind::Block(block) = Fields::kind() else { return assert_eq!(Fields::kind(), Kind::Any) };
    let rules: Vec<_> = block.fields.iter().map(|field| (field.name, field.pattern, field.expects)).collect();
    assert_eq!(
        rules,
        [
            ("name", Some("^[a-z]+$"), Some("a name: a-z")),
            ("names", Some("^[a-z]+$"), Some("a name: a-z")),
            ("own", Some("^a"), None),
            ("word", None, None),
        ]
    );
    let read = |own: &str| Fields::from_value(Value::from([("own", own)]), &Conversion::default());
    let refused = |own: &str| read(own).map(drop).map_err(|errors| errors[0].to_string());
    assert_eq!(refused("ada"), Ok(()));
    assert_eq!(refused("bob"), Err("\"bob\" does not match the pattern `^a`".to_owned()));
    assert_eq!(refused("a1"), Err("\"a1\" is not a name: a-z".to_owned()));
}
