//! The database of debconf: records of lines `Field: value`, separated by empty lines.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) value: Option<String>,
    /// Whether the question counts as asked.
    pub(super) is_seen: bool,
}

pub(super) fn find(text: &str, name: &str) -> Option<Question> {
    text.split("\n\n").find_map(|record| {
        let field = |wanted: &str| {
            record.lines().find_map(|line| {
                let (field, value) = line.split_once(':')?;
                (field == wanted).then(|| value.strip_prefix(' ').unwrap_or(value))
            })
        };
        (field("Name")? == name).then(|| Question {
            value: field("Value").map(str::to_owned),
            is_seen: field("Flags").is_some_and(|flags| flags.split([',', ' ']).any(|flag| flag == "seen")),
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "Name: postfix/mailname\nTemplate: postfix/mailname\nValue: example.org\nOwners: postfix\n\
                        Flags: seen\nVariables:\n hostname = Value: x\n\nName: postfix/empty\nValue: \nOwners: postfix\n\n\
                        Name: postfix/none\nOwners: postfix\nFlags: other, seen\n\nName: a/b\nValue:  two: x\n";

    #[test]
    fn records() {
        let check = |name: &str, expect: Option<(Option<&str>, bool)>| {
            let actual = find(TEXT, name);
            let actual = actual.as_ref().map(|found| (found.value.as_deref(), found.is_seen));
            assert_eq!(actual, expect, "{name}");
        };
        check("postfix/mailname", Some((Some("example.org"), true)));
        check("postfix/empty", Some((Some(""), false)));
        check("postfix/none", Some((None, true)));
        check("a/b", Some((Some(" two: x"), false)));
        check("postfix", None);
        check("hostname = Value", None);
        assert_eq!(find("", "a/b"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "((Name|Value|Flags): ?|a/b|seen|\n|\n\n|\\PC){0,12}") {
            find(&text, "a/b");
        }
    }
}
