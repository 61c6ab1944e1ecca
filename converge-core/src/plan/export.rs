//! Typed access to what resources export.

use super::resource::ResourceResult;
use crate::diagnostic::{Suggest, close_names};
use crate::graph::NodeId;
use crate::types::convert::FromValue;
use crate::types::value::{Conversion, FieldError, Value};

/// Why there is no value of an export.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run said nothing of such a resource.
    #[error("there is no resource {id} in the report{}", Suggest(.close))]
    NoResource {
        /// What was asked for.
        id: NodeId,
        /// Ids like it.
        close: Vec<String>,
    },
    /// The resource exports nothing of that name, or what is not known yet or holds a secret.
    #[error("{id} has no export `{name}` in the report, {}; what is secret or not known yet is left out", listed(.known))]
    NoExport {
        /// The resource.
        id: NodeId,
        /// What was asked for.
        name: String,
        /// What it exports.
        known: Vec<String>,
    },
    /// The value is of another type.
    #[error("`{name}` of {id} is of another type: {}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    WrongType {
        /// The resource.
        id: NodeId,
        /// The export.
        name: String,
        /// What does not fit.
        errors: Vec<FieldError>,
    },
}

fn listed(known: &[String]) -> String {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "nor any other".to_owned() } else { format!("only {}", names.join(", ")) }
}

/// The error of a resource that is not among these.
pub(super) fn no_resource(id: &NodeId, resources: &[ResourceResult]) -> ExportError {
    let close = close_names(id.as_str(), resources.iter().map(|resource| resource.id.as_str()));
    ExportError::NoResource { id: id.clone(), close }
}

pub(super) fn find<T: FromValue>(resource: &ResourceResult, name: &str) -> Result<T, ExportError> {
    let (id, path) = (&resource.id, name);
    let known = || resource.exports.keys().cloned().collect();
    let missing = || ExportError::NoExport { id: id.clone(), name: path.to_owned(), known: known() };
    let value = walk(resource, name).ok_or_else(missing)?;
    T::from_value(value.clone(), &Conversion::default()).map_err(|errors| ExportError::WrongType {
        id: id.clone(),
        name: path.to_owned(),
        errors,
    })
}

/// An export of the whole name, or the way into a map that its parts are.
fn walk<'a>(resource: &'a ResourceResult, name: &str) -> Option<&'a Value> {
    let exports = resource.exports.iter().map(|(name, value)| (name.as_str(), value));
    if let Some((_, value)) = exports.clone().find(|(have, _)| have.eq_ignore_ascii_case(name)) {
        return Some(value);
    }
    let mut parts = name.split('.');
    let first = parts.next()?;
    let (_, found) = exports.clone().find(|(have, _)| have.eq_ignore_ascii_case(first))?;
    parts.try_fold(found, |value, part| match value {
        Value::Map(items) => {
            items.iter().find(|(have, _)| have.eq_ignore_ascii_case(part)).map(|(_, value)| value)
        }
        _ => None,
    })
}
