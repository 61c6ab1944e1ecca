//! Typed access to the exports of resources.

use super::resource::ResourceResult;
use crate::diagnostic::{Suggest, close_names};
use crate::graph::NodeId;
use crate::types::convert::FromValue;
use crate::types::value::{Conversion, FieldError, Value};
use converge_value::debug_as_text;

/// The reason why the value of an export is not available.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run has no result for the resource.
    #[error("there is no resource {id} in the report{}", Suggest(.close))]
    NoResource {
        /// The requested ID.
        id: NodeId,
        /// Similar IDs.
        close: Vec<String>,
    },
    /// The resource has no such export, or its value is unknown or contains a secret.
    #[error("{id} has no export `{name}` in the report, {}; secret and unknown values are left out", listed(.known))]
    NoExport {
        /// The ID of the resource.
        id: NodeId,
        /// The requested name.
        name: String,
        /// The names of the resource's exports.
        known: Vec<String>,
    },
    /// The value has another type.
    #[error("`{name}` of {id} is of another type: {}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    WrongType {
        /// The ID of the resource.
        id: NodeId,
        /// The name of the export.
        name: String,
        /// The errors of the conversion.
        errors: Vec<FieldError>,
    },
}

debug_as_text!(ExportError);

fn listed(exports: &[String]) -> String {
    let names: Vec<String> = exports.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "nor any other".to_owned() } else { format!("only {}", names.join(", ")) }
}

pub(super) fn no_resource(id: &NodeId, resources: &[ResourceResult]) -> ExportError {
    let close = close_names(id.as_str(), resources.iter().map(|resource| resource.id.as_str()));
    ExportError::NoResource { id: id.clone(), close }
}

pub(super) fn find<T: FromValue>(resource: &ResourceResult, name: &str) -> Result<T, ExportError> {
    let (id, path) = (&resource.id, name);
    let export_names = || resource.exports.keys().cloned().collect();
    let missing = || ExportError::NoExport { id: id.clone(), name: path.to_owned(), known: export_names() };
    let value = walk(resource, name).ok_or_else(missing)?;
    T::from_value(value.clone(), &Conversion::default()).map_err(|errors| ExportError::WrongType {
        id: id.clone(),
        name: path.to_owned(),
        errors,
    })
}

/// Finds an export by its whole name, or follows the parts of the name into a map.
fn walk<'a>(resource: &'a ResourceResult, name: &str) -> Option<&'a Value> {
    let exports = resource.exports.iter().map(|(name, value)| (name.as_str(), value));
    if let Some((_, value)) = exports.clone().find(|(have, _)| have.eq_ignore_ascii_case(name)) {
        return Some(value);
    }
    let mut parts = name.split('.');
    let first = parts.next()?;
    let (_, value) = exports.clone().find(|(have, _)| have.eq_ignore_ascii_case(first))?;
    parts.try_fold(value, |value, part| match value {
        Value::Map(items) => {
            items.iter().find(|(have, _)| have.eq_ignore_ascii_case(part)).map(|(_, value)| value)
        }
        _ => None,
    })
}
