use proptest::prelude::*;

use super::*;

#[track_caller]
fn check<T: FromStr<Err = InvalidName> + AsRef<str>>(valid: &[&str], bad: &[&str]) {
    for text in valid {
        assert_eq!(text.parse::<T>().expect("it keeps the rule").as_ref(), *text);
    }
    for text in bad {
        let Err(error) = text.parse::<T>() else { panic!("{text:?} was accepted") };
        assert_eq!(error.text, *text);
        assert!(error.to_string().starts_with(&format!("{text:?} is not a ")), "{error}");
    }
}

#[test]
fn groups() {
    check::<Group>(
        &["ab", "a1", "a_", "service_mesh", "k8s"],
        &["", "a", "A", "Ab", "aB", "1a", "_a", "a-b", "a.b", "a b", "ab\n", "é1", "aé"],
    );
}

#[test]
fn group_versions() {
    check::<GroupVersion>(
        &["v1", "v0", "v12", "v2beta1", "va1", "v1alpha1"],
        &["", "v", "1", "V1", "vv", "v1a", "v1B2", "v-1", "v1.2", "v_1", "v1\n", "vé1", "v١"],
    );
}

#[test]
fn kinds() {
    check::<Kind>(
        &["Ab", "AB", "A1", "TrafficPolicy", "HTTPRoute2"],
        &["", "A", "a", "aB", "1A", "A_b", "A-b", "A.b", "Ab ", "Éb", "Aé"],
    );
}

#[test]
fn labels() {
    let (longest, too_long) = ("a".repeat(63), "a".repeat(64));
    let valid = ["a", "0", "a-b", "a--b", "0a", "web-1", longest.as_str()];
    let bad =
        ["", "-", "-a", "a-", "A", "aB", "a_b", "a.b", "a b", "a\n", "*", "é", "aéa", too_long.as_str()];
    check::<Name>(&valid, &bad);
    check::<Partition>(&valid, &bad);
    check::<Namespace>(&valid, &bad);
}

#[test]
fn messages_name_the_rule_and_the_text() {
    #[track_caller]
    fn check<T: FromStr<Err = InvalidName> + fmt::Debug>(text: &str, expect: &str) {
        assert_eq!(text.parse::<T>().unwrap_err().to_string(), expect);
    }
    check::<GroupVersion>(
        "2",
        "\"2\" is not a group version: it is written as v1 or v2beta1: v, then a-z and 0-9, a digit last",
    );
    check::<Kind>(
        "artist",
        "\"artist\" is not a kind: it is written in PascalCase, 2 characters or more: A-Z, a-z and 0-9, a capital first",
    );
    check::<Partition>(
        "",
        "\"\" is not a partition: it is a lower-case DNS label, 1 to 63 characters: a-z, 0-9 and -, a letter or a \
         digit at both ends",
    );
}

#[test]
fn as_json() {
    let name: Name = serde_json::from_str("\"web\"").expect("it keeps the rule");
    assert_eq!(serde_json::to_string(&name).expect("a text"), "\"web\"");
    let error = serde_json::from_str::<Name>("\"Web\"").unwrap_err().to_string();
    assert!(error.starts_with("\"Web\" is not a name"), "{error}");
}

#[test]
fn defaults_keep_their_own_rule() {
    check::<Partition>(&[Partition::default().as_str()], &[]);
    check::<Namespace>(&[Namespace::default().as_str()], &[]);
}

proptest! {
    /// Tests the rules against the regular expressions that they come from.
    #[test]
    fn what_the_patterns_make_is_accepted(
        group in "[a-z][a-z0-9_]{1,20}",
        version in "v([a-z0-9]{1,9})?[0-9]",
        kind in "[A-Z][A-Za-z0-9]{1,20}",
        label in "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
    ) {
        prop_assert!(Naming::Group.accepts(&group));
        prop_assert!(Naming::GroupVersion.accepts(&version));
        prop_assert!(Naming::Kind.accepts(&kind));
        prop_assert!(Naming::Name.accepts(&label));
    }

    #[test]
    fn what_is_accepted_is_ascii_without_a_separator(text in "\\PC{0,70}") {
        for naming in [Naming::Group, Naming::GroupVersion, Naming::Kind, Naming::Name] {
            if naming.accepts(&text) {
                prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
            }
        }
    }
}
