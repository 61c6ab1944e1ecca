use proptest::prelude::*;

use super::{Reference, ReferenceError};

const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Formats the image and its registry.
fn shown(parsed: Result<Reference, ReferenceError>) -> String {
    match parsed {
        Ok(reference) => format!("{} from {}", reference.canonical(), reference.registry()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn names() {
    let check = |text: &str, expect: &str| {
        let reference = shown(Reference::parse(text));
        assert!(reference.starts_with(&expect.replace("DIGEST", DIGEST)), "{text}: {reference}");
    };
    check("nginx", "docker.io/library/nginx:latest from docker.io");
    check("nginx:1.27", "docker.io/library/nginx:1.27 from docker.io");
    check("team/app", "docker.io/team/app:latest from docker.io");
    check("docker.io/nginx", "docker.io/library/nginx:latest from docker.io");
    check("index.docker.io/nginx", "docker.io/library/nginx:latest from docker.io");
    check("localhost/app", "localhost/app:latest from localhost");
    check("registry.local:5000/team/app:2", "registry.local:5000/team/app:2 from registry.local:5000");
    check("registry:5000/app", "registry:5000/app:latest from registry:5000");
    check("127.0.0.1:5000/app", "127.0.0.1:5000/app:latest from 127.0.0.1:5000");
    check("[::1]:5000/app", "[::1]:5000/app:latest from [::1]:5000");
    check(&format!("nginx@{DIGEST}"), "docker.io/library/nginx@DIGEST from docker.io");
    check(&format!("registry:5000/app:1@{DIGEST}"), "registry:5000/app@DIGEST from registry:5000");
    check("a__b/c--d.e_f", "docker.io/a__b/c--d.e_f:latest");
    check("", "\"\" is not the name of an image");
    check("Nginx", "\"Nginx\" is not the name of an image");
    check("nginx ", "\"nginx \" is not the name of an image");
    check("a..b", "\"a..b\" is not the name of an image");
    check("../json?", "\"../json?\" is not the name of an image");
    check("registry:port/app", "\"registry:port/app\" is not the name of an image");
    check("nginx:", "\"\" is not a tag");
    check("nginx:-1", "\"-1\" is not a tag");
    check("nginx@sha256:12", "\"sha256:12\" is not a digest");
}

#[test]
fn a_tag_beside_the_name() {
    let check = |name: &str, tag: Option<&str>, expect: &str| {
        assert_eq!(shown(Reference::with_tag(name, tag)), expect, "{name} {tag:?}");
    };
    check("nginx", None, "docker.io/library/nginx:latest from docker.io");
    check("nginx", Some("1"), "docker.io/library/nginx:1 from docker.io");
    check("nginx", Some(DIGEST), &format!("docker.io/library/nginx@{DIGEST} from docker.io"));
    check("nginx:1", None, "docker.io/library/nginx:1 from docker.io");
    check(
        "nginx:1",
        Some("2"),
        "\"nginx:1\" already selects an image with `:1`: remove that, or leave out `tag`",
    );
    check("r:5000/app", Some("2"), "r:5000/app:2 from r:5000");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        if let Ok(reference) = Reference::parse(&text) {
            // The engine gets the name as a part of a URL path.
            prop_assert!(!reference.to_string().contains(['?', '#', '%', ' ', '\\']));
            prop_assert!(!reference.to_string().split('/').any(|component| component == ".." || component == "."));
        }
    }

    #[test]
    fn a_name_and_its_text_are_the_same(
        registry in "(|[a-z]{1,5}:[1-9][0-9]{0,3}/|[a-z]{1,5}[.][a-z]{2}/)",
        // A dot in the first part of a path makes it a registry.
        path in "[a-z0-9]{1,5}((_|__|-{1,3})[a-z0-9]{1,3}){0,2}(/[a-z0-9]{1,5}([.][a-z0-9]{1,3})?){0,2}",
        tag in "[A-Za-z0-9_][A-Za-z0-9_.-]{0,10}",
    ) {
        let text = format!("{registry}{path}:{tag}");
        let reference = Reference::parse(&text).unwrap();
        prop_assert_eq!(reference.to_string(), text);
        prop_assert_eq!(reference.version(), &tag);
        prop_assert_eq!(&Reference::with_tag(reference.name(), Some(&tag)).unwrap(), &reference);
    }
}
