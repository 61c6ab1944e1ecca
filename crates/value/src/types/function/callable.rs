//! Closures that take values of the module language.

use std::fmt::Display;

use crate::types::convert::{FromValue, ToValue};
use crate::types::schema::Kind;
use crate::types::value::{Conversion, FieldError, Value};

/// A closure that modules can call.
///
/// The closure takes up to four arguments of types that a field can have. It returns a type that can be
/// exported, or a `Result` of one.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be a function of modules",
    label = "not a function of up to four values",
    note = "write the type of each argument, such as `|name: String|`; each implements `FromValue`, the result `ToValue`, and \
            what the closure holds can be shared by threads (`Send + Sync + 'static`)"
)]
pub trait Callable<Arguments>: Send + Sync + 'static {
    /// Returns the kinds of the parameters.
    #[doc(hidden)]
    fn parameters() -> Vec<Kind>;

    /// Calls the closure and returns its value.
    #[doc(hidden)]
    fn call_with(&self, arguments: Vec<Value>) -> Result<Value, FunctionFailure>;
}

/// An error of a call: an invalid argument, or an error of the function itself.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionFailure {
    /// The index of the invalid argument.
    pub argument: Option<usize>,
    /// The message of the error.
    pub message: String,
}

/// A type that a function can return.
#[diagnostic::on_unimplemented(
    message = "a function of modules cannot give `{Self}`",
    label = "no value of the module language stands for this type",
    note = "give what implements `ToValue`, or a `Result` of that with an error that implements `Display`"
)]
pub trait Returned {
    /// Returns the value or the message of the error.
    #[doc(hidden)]
    fn into_result(self) -> Result<Value, String>;
}

impl<T: ToValue> Returned for T {
    fn into_result(self) -> Result<Value, String> {
        Ok(self.to_value())
    }
}

impl<T: ToValue, E: Display> Returned for Result<T, E> {
    fn into_result(self) -> Result<Value, String> {
        self.map(|value| value.to_value()).map_err(|error| error.to_string())
    }
}

fn argument<T: FromValue>(index: usize, value: Option<Value>) -> Result<T, FunctionFailure> {
    T::from_value(value.unwrap_or_default(), &Conversion::default()).map_err(|errors| {
        let message = |error: &FieldError| match error.path.0.as_slice() {
            [] => error.to_string(),
            _ => format!("{}: {error}", error.path),
        };
        let message = errors.iter().map(message).collect::<Vec<_>>().join("; ");
        FunctionFailure { argument: Some(index), message }
    })
}

macro_rules! callable {
    ($(($($argument:ident $index:literal),*);)*) => {$(
        impl<F, R, $($argument),*> Callable<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> R + Send + Sync + 'static,
            R: Returned,
            $($argument: FromValue,)*
        {
            fn parameters() -> Vec<Kind> {
                vec![$($argument::kind()),*]
            }

            fn call_with(&self, arguments: Vec<Value>) -> Result<Value, FunctionFailure> {
                let mut arguments = arguments.into_iter();
                let result = self($(argument::<$argument>($index, arguments.next())?),*);
                let _ = &mut arguments;
                result.into_result().map_err(|message| FunctionFailure { argument: None, message })
            }
        }
    )*};
}

callable! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
}
