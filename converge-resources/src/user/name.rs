//! Names of users and groups in modules.

use converge_sdk::value::{FieldError, FieldErrorKind};

/// Returns the text unless it is empty.
///
/// In modules for the original Converge, an empty text means that nothing is given.
pub(super) fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Returns the new name of a user or group, or `None` if there is no rename.
pub(super) fn effective_new_name(name: &str, new_name: Option<String>) -> Option<String> {
    non_empty(new_name).filter(|new_name| new_name != name)
}

/// Whether the programs accept the text as a name.
///
/// Other texts would have another meaning in a list, or in a line of `/etc/passwd`.
pub(super) fn is_name(name: &str) -> bool {
    let is_other = |c: char| c.is_whitespace() || c.is_control() || [':', ',', '/'].contains(&c);
    !name.is_empty() && !name.starts_with(['-', '+', '~']) && !name.contains(is_other)
}

pub(super) fn name_errors(field: &str, kind: &str, names: &[String]) -> Vec<FieldError> {
    let refused = names.iter().filter(|name| !is_name(name));
    let error = |name: &String| {
        let message = format!(
            "{name:?} is not the name of a {kind}: it has no spaces and none of : , / and does not begin with - + ~"
        );
        FieldError::new(field, FieldErrorKind::Invalid { message })
    };
    refused.map(error).collect()
}
