//! Types of the standard library that are written as text.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use super::from_value::{FromValue, error, reveal, shown};
use super::to_value::ToValue;
use crate::types::schema::{Kind, Shape};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, Value};

/// Each with what it is, and how it is written: the standard library says only that it is wrong.
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
