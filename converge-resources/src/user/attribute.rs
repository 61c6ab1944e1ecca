use converge_sdk::prelude::*;
use converge_sdk::schema::Shape;

/// An attribute that is declared, found on the machine, or not known yet, like the id of a new user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attribute<T> {
    /// The declared or present value; `None` if there is none.
    Known(Option<T>),
    /// The value will be chosen by this program.
    ChosenBy(&'static str),
}

impl<T: ToValue> ToValue for Attribute<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Known(value) => value.to_value(),
            Self::ChosenBy(program) => Value::unknown(*program),
        }
    }
}
