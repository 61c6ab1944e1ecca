/// Replaces the name in the comment of a user, or returns `None` if the comment has that name already.
///
/// After a comma, a comment may contain further fields.
pub(super) fn with_name(comment: &str, name: &str) -> Option<String> {
    let (current, rest) = comment.split_at(comment.find(',').unwrap_or(comment.len()));
    if comment == name || current == name {
        None
    } else if name.contains(',') {
        Some(name.to_owned())
    } else {
        Some(format!("{name}{rest}"))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_not_the_name_stays() {
        let check = |comment: &str, name: &str, expect: Option<&str>| {
            assert_eq!(super::with_name(comment, name).as_deref(), expect, "{comment:?} {name:?}");
        };
        check("Ada", "Ada", None);
        check("Ada,,,", "Ada", None);
        check("Ada,12,555", "Grace", Some("Grace,12,555"));
        check("", "Grace", Some("Grace"));
        check("Ada,12", "Grace,13", Some("Grace,13"));
        check("Grace,13", "Grace,13", None);
    }
}
