use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expect: Result<(&str, &str, &str), &str>) {
    match (text.parse::<Type>(), expect) {
        (Ok(got), Ok((group, group_version, kind))) => {
            let parts = (got.group.as_str(), got.group_version.as_str(), got.kind.as_str());
            assert_eq!(parts, (group, group_version, kind));
            assert_eq!(got.to_string(), text);
        }
        (Err(error), Err(expect)) => assert_eq!(error.to_string(), expect),
        (got, expect) => panic!("{text:?}: got {got:?}, expected {expect:?}"),
    }
}

#[test]
fn texts() {
    check("demo.v2.Artist", Ok(("demo", "v2", "Artist")));
    check("service_mesh.v1alpha1.HTTPRoute", Ok(("service_mesh", "v1alpha1", "HTTPRoute")));

    check("", Err("a type is written as group.group_version.Kind, got \"\""));
    check("Artist", Err("a type is written as group.group_version.Kind, got \"Artist\""));
    check("demo.v2", Err("a type is written as group.group_version.Kind, got \"demo.v2\""));
    check("a.demo.v2.Artist", Err("a type is written as group.group_version.Kind, got \"a.demo.v2.Artist\""));
    check(
        "demo.v2.",
        Err(
            "a type is written as group.group_version.Kind, got \"demo.v2.\": \"\" is not a kind: it is written in \
             PascalCase, 2 characters or more: A-Z, a-z and 0-9, a capital first",
        ),
    );
    check(
        "demo.2.artist",
        Err(
            "a type is written as group.group_version.Kind, got \"demo.2.artist\": \"2\" is not a group version: it \
             is written as v1 or v2beta1: v, then a-z and 0-9, a digit last",
        ),
    );
    check(
        "Demo.v2.Artist",
        Err(
            "a type is written as group.group_version.Kind, got \"Demo.v2.Artist\": \"Demo\" is not a group: it is \
             written in snake_case, 2 characters or more: a-z, 0-9 and _, a letter first",
        ),
    );
}

#[test]
fn as_json() {
    let json = r#"{"group":"demo","group_version":"v2","kind":"Artist"}"#;
    let artist: Type = serde_json::from_str(json).expect("a type");
    assert_eq!(artist, "demo.v2.Artist".parse().expect("a type"));
    assert_eq!(serde_json::to_string(&artist).expect("text"), json);
    assert!(serde_json::from_str::<Type>(&json.replace("Artist", "artist")).is_err());
    assert!(serde_json::from_str::<Type>(&json.replace("\"kind\"", "\"sort\"")).is_err());
}

proptest! {
    #[test]
    fn text_and_back(text in "[a-z][a-z0-9_]{1,9}\\.v[a-z0-9]{0,4}[0-9]\\.[A-Z][A-Za-z0-9]{1,9}") {
        prop_assert_eq!(text.parse::<Type>().expect("it keeps the rules").to_string(), text);
    }

    #[test]
    fn what_parses_is_what_is_written(text in "[a-zA-Z0-9_.é-]{0,24}") {
        if let Ok(parsed) = text.parse::<Type>() {
            prop_assert_eq!(parsed.to_string(), text);
        }
    }
}
