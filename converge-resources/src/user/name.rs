//! Names of users and groups, as modules write them.

/// In modules for the original, an empty text means that nothing is given.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The name of the resource after a rename; `None` where there is none.
pub(super) fn renamed(name: &str, new_name: Option<String>) -> Option<String> {
    given(new_name).filter(|new_name| new_name != name)
}
