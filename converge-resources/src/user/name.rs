//! Names of users and groups, as modules write them.

use converge_core::value::{FieldError, FieldErrorKind};

/// In modules for the original, an empty text means that nothing is given.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The name of the resource after a rename; `None` where there is none.
pub(super) fn renamed(name: &str, new_name: Option<String>) -> Option<String> {
    given(new_name).filter(|new_name| new_name != name)
}

/// Whether the programs take it for a name: in a list, or in a line of `/etc/passwd`, another text would be something else.
pub(super) fn is_name(name: &str) -> bool {
    let is_other = |c: char| c.is_whitespace() || c.is_control() || [':', ',', '/'].contains(&c);
    !name.is_empty() && !name.starts_with(['-', '+', '~']) && !name.contains(is_other)
}

/// The mistakes of a list of names.
pub(super) fn refused_names(field: &str, kind: &str, names: &[String]) -> Vec<FieldError> {
    let refused = names.iter().filter(|name| !is_name(name));
    let error = |name: &String| {
        let message = format!(
            "{name:?} is not the name of a {kind}: it has no spaces and none of : , / and does not begin with - + ~"
        );
        FieldError::new(field, FieldErrorKind::Invalid { message })
    };
    refused.map(error).collect()
}
