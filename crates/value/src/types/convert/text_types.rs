//! Conversion of types that are written as text, from the standard library or any crate.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::ops::Deref;
use std::str::FromStr;

use super::from_value::{FromValue, error, reveal, shown};
use super::to_value::ToValue;
use crate::types::schema::{Kind, Shape};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, Value};

/// Implements the conversion with a name and a format for messages, which the standard library lacks.
macro_rules! parsed {
    ($($ty:ty => $what:literal;)*) => {$(
        impl FromValue for $ty {
            fn kind() -> Kind {
                Kind::String
            }

            fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
                let (value, secret) = reveal(value);
                let shown = shown(&value, secret);
                String::from_value(value, conversion)?.parse().map_err(|_| {
                    let message = format!(concat!("{} is not ", $what), shown);
                    error(FieldErrorKind::Invalid { message })
                })
            }
        }

        impl ToValue for $ty {
            fn shape() -> Shape {
                Shape::Plain
            }

            fn to_value(&self) -> Value {
                Value::string(self.to_string())
            }
        }
    )*};
}

parsed! {
    char => "one character";
    IpAddr => "an IP address: write it like \"192.0.2.1\" or \"2001:db8::1\"";
    Ipv4Addr => "an IPv4 address: write it like \"192.0.2.1\"";
    Ipv6Addr => "an IPv6 address: write it like \"2001:db8::1\"";
    SocketAddr => "an address with a port: write it like \"192.0.2.1:80\" or \"[2001:db8::1]:80\"";
    SocketAddrV4 => "an IPv4 address with a port: write it like \"192.0.2.1:80\"";
    SocketAddrV6 => "an IPv6 address with a port: write it like \"[2001:db8::1]:80\"";
}

/// A value of any type that [`FromStr`] reads: `url: Parsed<Url>`.
///
/// The type may also stand in an `Option`, a list or a map.
///
/// The wrapper dereferences to the value, and [`into_inner`](Self::into_inner) returns it. It is exported as
/// its [`Display`](fmt::Display) text. A type of your own needs no wrapper: derive
/// `HclText`.
///
/// ```
/// use converge_core::prelude::*;
/// use converge_core::value::Conversion;
/// # use std::num::ParseIntError;
/// # /// A version, as a crate of somebody else has it.
/// # #[derive(Debug)]
/// # struct Version(u32);
/// # impl std::str::FromStr for Version {
/// #     type Err = ParseIntError;
/// #     fn from_str(text: &str) -> Result<Self, ParseIntError> { text.parse().map(Version) }
/// # }
///
/// /// A release.
/// #[derive(Debug, HclBlock)]
/// struct Release {
///     /// Its version.
///     #[hcl(required)]
///     version: Parsed<Version>,
/// }
///
/// let read = |version: &str| Release::from_value(Value::from([("version", version)]), &Conversion::default());
/// assert_eq!(read("3").map(|release| release.version.0.0), Ok(3));
/// let refused = read("three").map_err(|errors| errors[0].to_string());
/// assert_eq!(refused.unwrap_err(), "\"three\" is not accepted: invalid digit found in string");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parsed<T>(pub T);

impl<T> Parsed<T> {
    /// Returns the wrapped value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Parsed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Parsed<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: fmt::Display> fmt::Display for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: FromStr<Err: fmt::Display>> FromStr for Parsed<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

impl<T: FromStr<Err: fmt::Display>> FromValue for Parsed<T> {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        let text = shown(&value, secret);
        String::from_value(value, conversion)?.parse().map_err(|reason| {
            // The reason may quote the text.
            let reason = if secret { String::new() } else { format!(": {reason}") };
            error(FieldErrorKind::Invalid { message: format!("{text} is not accepted{reason}") })
        })
    }
}

impl<T: fmt::Display> ToValue for Parsed<T> {
    fn shape() -> Shape {
        Shape::Plain
    }

    fn to_value(&self) -> Value {
        Value::string(self.0.to_string())
    }
}
