use super::*;
use crate::identity::{Id, Reference, Tenancy, Type};

fn ty(text: &str) -> Type {
    text.parse().unwrap()
}

fn tenancy(partition: &str, namespace: &str) -> Tenancy {
    Tenancy::from_units(partition, namespace).unwrap()
}

fn artist() -> Id {
    Id::new(ty("demo.v1.Artist"), tenancy("eu", "web"), "korn".parse().unwrap())
}

/// Returns problems with every cause and every kind of path.
fn everything() -> Invalid {
    let mut invalid = Invalid::collect();
    let (album, label) = (ty("demo.v1.Album"), ty("demo.v1.Label"));
    invalid.field("title").add(Cause::Missing);
    invalid.field("title").add(Cause::Empty);
    invalid.field("genre").add(Cause::Unsupported);
    invalid.whole().add(Cause::MissingOneOf(vec!["artist", "band"]));
    invalid.field("by").add(Cause::MissingOneOf(vec!["artist", "band"]));
    invalid.whole().add("is too large");
    invalid.field("tracks").element(2).field("length").add("is longer than an hour");
    invalid.field("labels").key("a \"b\"").add(Cause::Empty);
    invalid.field("labels").value("a").field("name").add(format!("is not one of {}", "x, y"));
    invalid.field("artist").reference_type(&Reference::from(artist()), &[&album, &label]);
    invalid.field("artist").reference_tenancy(&artist().tenancy, &tenancy("eu", "db"));
    invalid.field("artist").reference_tenancy(&tenancy("eu", ""), &tenancy("", ""));
    invalid.owner_type(Some(&artist()), &[&album]);
    invalid.owner_tenancy(Some(&artist()), &tenancy("eu", "db"));
    invalid.finish().unwrap_err()
}

#[test]
fn each_problem_has_its_place_and_its_words() {
    let lines: Vec<_> = everything().problems().iter().map(ToString::to_string).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("problems", lines.join("\n"));
    });
}

#[test]
fn all_are_shown_together() {
    let problems = everything();
    assert_eq!(problems.to_string().split("; ").count(), problems.problems().len());
}

#[test]
fn what_is_right_is_not_told() {
    let mut invalid = Invalid::collect();
    assert!(invalid.field("title").require(true, Cause::Empty));
    assert_eq!(invalid.field("title").present(Some(&1)), Some(&1));
    let reference = Reference::from(artist());
    assert!(invalid.field("artist").reference_type(&reference, &[&ty("demo.v1.Artist")]));
    assert!(invalid.field("artist").reference_tenancy(&reference.tenancy, &artist().tenancy));
    invalid.owner_type(None, &[]).owner_type(Some(&artist()), &[&ty("demo.v1.Artist")]);
    invalid.owner_tenancy(None, &Tenancy::Cluster).owner_tenancy(Some(&artist()), &artist().tenancy);
    invalid.field("part").include(Invalid::collect().finish());
    assert_eq!(invalid.finish(), Ok(()));
}

#[test]
fn parts_are_checked_by_themselves() {
    fn track(length: Option<u32>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        if let Some(length) = invalid.field("length").present(length.as_ref()) {
            invalid.field("length").require(*length > 0, "is not a length");
        }
        invalid.finish()
    }
    let mut invalid = Invalid::collect();
    let mut tracks = invalid.field("tracks");
    for (index, length) in [Some(1), None, Some(0)].into_iter().enumerate() {
        tracks.element(index).include(track(length));
    }
    let invalid = invalid.finish().unwrap_err();
    assert_eq!(invalid.to_string(), "tracks[1].length is missing; tracks[2].length is not a length");
    let first = &invalid.problems()[0];
    assert_eq!(first.path, [Step::Field("tracks".into()), Step::Element(1), Step::Field("length".into())]);
    assert_eq!(first.cause, Cause::Missing);
}
