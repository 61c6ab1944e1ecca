//! What `#[derive(HclText)]` makes of a type that is parsed from text.

use std::fmt;
use std::str::FromStr;

use converge_core::HclText;
use converge_core::schema::{Kind, Shape};
use converge_core::value::Conversion;
use converge_core::value::{FromValue, ToValue, Value};

/// A port of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclText)]
struct Port(u16);

/// A text is no port.
#[derive(Debug)]
struct NoPort(String);

impl fmt::Display for NoPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no port", self.0)
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
    let found = Port::from_value(value.clone(), &Conversion::default());
    let found = found.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
    assert_eq!(found, expect.map_err(str::to_owned), "for {value:?}");
}

#[test]
fn texts_are_read() {
    check("22", Ok(Port(22)));
    // As for a field of type `String`.
    check(22, Ok(Port(22)));
    check(Value::string("22").into_secret(), Ok(Port(22)));
    check("ssh", Err("\"ssh\" is no port"));
    check(Value::string("hunter2").into_secret(), Err("(sensitive) is not what can stand here"));
    check(vec!["22"], Err("expected a string, found a list"));
}

#[test]
fn texts_are_written() {
    assert_eq!(Port(22).to_value(), Value::string("22"));
    assert_eq!((Port::kind(), Port::shape()), (Kind::String, Shape::Plain));
}
