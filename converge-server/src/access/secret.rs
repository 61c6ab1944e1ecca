//! The text of a token.

use converge_controller::Name;

/// The prefix of every token text, by which people and secret scanners recognize it.
const PREFIX: &str = "converge_";

/// Returns the name of the stored token in a text of the form `converge_NAME_SECRET`.
///
/// Names have no underscore.
pub(super) fn name_in(text: &str) -> Option<Name> {
    let (name, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
    if secret.is_empty() { None } else { name.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn names_in_tokens() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(name_in(text).as_ref().map(converge_controller::Name::as_str), expect, "{text}");
        };
        check("converge_ci_00ff", Some("ci"));
        check("converge_web-1_a_b", Some("web-1"));
        for invalid in
            ["", "converge_", "converge_ci", "converge_ci_", "converge__00", "ci_00", "converge_CI_00"]
        {
            check(invalid, None);
        }
    }
}
