//! Tests of `#[derive(HclEnum)]`.

use converge_core::HclEnum;
use converge_core::schema::{Kind, Shape};
use converge_core::value::Conversion;
use converge_core::value::{FromValue, ToValue, Value};

/// The desired state of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
enum State {
    Running,
    NotFound,
    #[hcl(alias = "down, off")]
    Stopped,
    #[hcl(name = "1.5")]
    OneAndAHalf,
    r#Loop,
}

fn check(value: impl Into<Value>, expect: Result<State, &str>) {
    let value = value.into();
    let actual = State::from_value(value.clone(), &Conversion::default());
    let actual =
        actual.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
    assert_eq!(actual, expect.map_err(str::to_owned), "for {value:?}");
}

#[test]
fn words_are_read() {
    check("running", Ok(State::Running));
    check("not-found", Ok(State::NotFound));
    check("stopped", Ok(State::Stopped));
    check("down", Ok(State::Stopped));
    check("off", Ok(State::Stopped));
    check("1.5", Ok(State::OneAndAHalf));
    check(1.5, Ok(State::OneAndAHalf));
    check("loop", Ok(State::Loop));
    check(Value::string("running").into_secret(), Ok(State::Running));
    let allowed = "is not one of running, not-found, stopped, 1.5, loop";
    check("Running", Err(&format!("\"Running\" {allowed}")));
    check("", Err(&format!("\"\" {allowed}")));
    check(7, Err(&format!("7 {allowed}")));
    check(Value::string("hunter2").into_secret(), Err(&format!("(sensitive) {allowed}")));
    check(vec!["running"], Err("expected one of running, not-found, stopped, 1.5, loop, found a list"));
}

#[test]
fn words_are_written() {
    for (state, word) in [(State::Running, "running"), (State::Stopped, "stopped"), (State::Loop, "loop")] {
        assert_eq!(state.as_str(), word);
        assert_eq!(state.to_value(), Value::string(word));
    }
}

#[test]
fn the_kind_lists_the_words_and_not_the_aliases() {
    assert_eq!(State::kind(), Kind::Enum(&["running", "not-found", "stopped", "1.5", "loop"]));
    assert_eq!(State::shape(), Shape::Plain);
}
