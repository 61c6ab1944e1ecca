//! The errors of resources and of system operations on the wire.

use serde::{Deserialize, Serialize};

use crate::sdk::error::Error;
use crate::system::{SystemError, SystemErrorKind};
use crate::types::intern;
use crate::types::json_forms::WirePath;
use crate::types::value::{FieldError, FieldErrorKind, PathSegment, ValuePath};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireError {
    pub(crate) message: String,
    /// The operations in which the error occurred, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) context: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) system: Option<WireSystemError>,
    /// The field values that are invalid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<WireFieldError>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cancelled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireFieldError {
    /// The path to the value: names of fields and map entries, and list indices.
    pub(crate) path: Vec<WireSegment>,
    pub(crate) message: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WireSegment {
    Index(usize),
    Name(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireSystemError {
    pub(crate) operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<WirePath>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) subject: String,
    pub(crate) kind: SystemErrorKind,
    #[serde(default)]
    pub(crate) message: String,
}

impl From<&SystemError> for WireSystemError {
    fn from(error: &SystemError) -> Self {
        Self {
            operation: error.operation.to_owned(),
            path: error.path.clone().map(WirePath),
            subject: error.subject.clone(),
            kind: error.kind.clone(),
            message: error.to_string(),
        }
    }
}

impl WireSystemError {
    pub(crate) fn into_error(self) -> SystemError {
        let Self { operation, path, subject, kind, message: _ } = self;
        // The operation is interned and never freed. It is truncated, as a real operation is a few words.
        let short = operation.get(..operation.floor_char_boundary(64)).unwrap_or_default();
        let operation = intern::text(short).unwrap_or("use");
        SystemError { operation, path: path.map(|path| path.0), subject, kind }
    }
}

impl From<&Error> for WireError {
    fn from(error: &Error) -> Self {
        let mut context = Vec::new();
        let mut inner = error;
        while let Error::Context { context: outer, source } = inner {
            context.push(outer.clone());
            inner = source;
        }
        let wire = Self { message: inner.to_string(), context, ..Self::default() };
        match inner {
            Error::System(error) => Self { system: Some(error.into()), ..wire },
            Error::Fields(errors) => Self { fields: errors.iter().map(Into::into).collect(), ..wire },
            Error::Cancelled => Self { cancelled: true, ..wire },
            _ => wire,
        }
    }
}

impl From<WireError> for Error {
    fn from(wire: WireError) -> Self {
        let WireError { message, context, system, fields, cancelled } = wire;
        let inner = match system {
            Some(system) => Self::System(system.into_error()),
            None if cancelled => Self::Cancelled,
            None if !fields.is_empty() => Self::Fields(fields.into_iter().map(Into::into).collect()),
            None => Self::Message(message),
        };
        context.into_iter().rev().fold(inner, Self::context)
    }
}

impl From<&FieldError> for WireFieldError {
    fn from(error: &FieldError) -> Self {
        let segment = |segment: &PathSegment| match segment {
            PathSegment::Name(name) => WireSegment::Name(name.clone()),
            PathSegment::Index(index) => WireSegment::Index(*index),
        };
        Self { path: error.path.0.iter().map(segment).collect(), message: error.to_string() }
    }
}

impl From<WireFieldError> for FieldError {
    fn from(wire: WireFieldError) -> Self {
        let segment = |segment: WireSegment| match segment {
            WireSegment::Name(name) => PathSegment::Name(name),
            WireSegment::Index(index) => PathSegment::Index(index),
        };
        let path = ValuePath(wire.path.into_iter().map(segment).collect());
        Self { path, kind: FieldErrorKind::Invalid { message: wire.message } }
    }
}
