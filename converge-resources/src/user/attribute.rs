use converge_core::prelude::*;
use converge_core::schema::Shape;

/// An attribute that the module gives, or the machine has, or that nobody knows yet: the id of a user that
/// is still to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attribute<T> {
    /// Given or found; `None` where there is no such thing.
    Known(Option<T>),
    /// Chosen by the named program when it runs.
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
