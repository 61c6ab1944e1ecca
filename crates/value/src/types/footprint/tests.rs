use std::collections::{BTreeSet, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZero;
use std::path::PathBuf;

use indexmap::IndexSet;

use super::*;
use crate::types::convert::FromValue as _;
use crate::types::schema::Field;
use crate::types::value::Value;

#[test]
fn spellings_of_a_path_are_one_name() {
    let check = |path: &str, expect: &str| assert_eq!(Thing::new(kind::PATH, path).name(), expect, "{path}");
    check("/srv/www", "/srv/www");
    check("/srv//www/", "/srv/www");
    check("/./srv/./www/.", "/srv/www");
    check("./www", "www");
    check("www/", "www");
    check("//", "/");
    check("/", "/");
    check("./", ".");
    check("", ".");
    check("/srv/../www", "/srv/../www");
    check("a b/ c", "a b/ c");
    assert_eq!(Thing::new(kind::USER, "a//b").name(), "a//b");
}

#[test]
fn spellings_of_an_image_are_one_name() {
    let check = |name: &str, expect: &str| assert_eq!(Thing::new(kind::IMAGE, name).name(), expect, "{name}");
    check("nginx", "nginx:latest");
    check("docker.io/library/nginx", "nginx:latest");
    check("team/app:1.2", "team/app:1.2");
    check("registry:5000/app", "registry:5000/app:latest");
    check("app@sha256:00", "app@sha256:00");
}

#[test]
fn paths_have_paths_above_them() {
    let check = |path: &str, expect: &[&str]| {
        assert_eq!(Thing::new(kind::PATH, path).above().collect::<Vec<_>>(), expect, "{path}");
    };
    check("/srv/www/index.html", &["/srv/www", "/srv", "/"]);
    check("/srv", &["/"]);
    check("/", &[]);
    check("a/b/c", &["a/b", "a"]);
    check("a", &[]);
    assert_eq!(Thing::new(kind::UNIT, "/a/b").above().count(), 0);
}

#[test]
fn things_are_told_in_words() {
    assert_eq!(Thing::new(kind::PATH, "/srv//").to_string(), "`/srv`");
    assert_eq!(Thing::new(kind::VOLUME_GROUP, "data").to_string(), "the volume group `data`");
}

#[test]
fn what_several_rules_of_a_field_say_is_said_of_each_of_its_names() {
    let names = |value, conversion: &_, of, add: &mut dyn FnMut(&str)| {
        let names = Vec::<String>::from_value(value, conversion).unwrap();
        names.iter().filter(|name| of == kind::PATH || !name.starts_with('/')).for_each(|name| add(name));
    };
    let rule = |verb, kind| FootprintRule::new(verb, kind, None, NameSource::Own(names));
    let mut field = Field::new::<Vec<String>>("targets", "");
    field.footprint = vec![
        rule(Verb::Manages, kind::PATH),
        rule(Verb::Touches, kind::PATH),
        rule(Verb::Needs, kind::UNIT),
        rule(Verb::Needs, kind::PATH),
    ];
    let list = Value::List(vec!["/srv//www".into(), "nginx".into()]);
    let footprint = Footprint::of_fields(&[field], &mut |_| Some(list.clone()));
    let claims = footprint.claims.iter().map(|claim| (claim.verb, claim.thing.to_string()));
    let expect = [
        (Verb::Manages, "`/srv/www`"),
        (Verb::Manages, "`nginx`"),
        (Verb::Touches, "`/srv/www`"),
        (Verb::Touches, "`nginx`"),
        (Verb::Needs, "the unit `nginx`"),
        (Verb::Needs, "`/srv/www`"),
        (Verb::Needs, "`nginx`"),
    ];
    assert!(claims.eq(expect.map(|(verb, thing)| (verb, thing.to_owned()))), "{:?}", footprint.claims);
}

#[test]
fn a_false_state_is_managed_and_a_false_flag_claims_nothing() {
    let field = |name, rule: Option<FootprintRule>| {
        let mut field = Field::new::<Option<String>>(name, "");
        field.footprint = rule.into_iter().collect();
        field
    };
    let of_unit =
        |verb, aspect| FootprintRule::new(verb, kind::UNIT, Some(aspect), NameSource::Field("unit"));
    let fields = [
        field("unit", None),
        field("enabled", Some(of_unit(Verb::Manages, "enabled"))),
        field("recursive", Some(of_unit(Verb::Touches, aspect::TREE))),
    ];
    let values = [Value::from("u"), Value::Bool(false), Value::Bool(false)];
    let footprint = Footprint::of_fields(&fields, &mut |index| values.get(index).cloned());
    let claims: Vec<_> = footprint.claims.iter().map(|claim| (claim.verb, claim.aspect)).collect();
    assert_eq!(claims, [(Verb::Manages, Some("enabled"))]);
}

#[test]
fn what_fields_hold_names_things() {
    fn check(names: &impl Names, expect: &[&str]) {
        let mut actual = Vec::new();
        names.names(kind::PATH, &mut |name| actual.push(name.to_owned()));
        assert_eq!(actual, expect);
    }
    check(&PathBuf::from("/srv/www"), &["/srv/www"]);
    check(&PathBuf::new(), &[]);
    check(&Some(vec![PathBuf::from("/b"), PathBuf::from("/a")]), &["/b", "/a"]);
    check(&HashSet::from(["b".to_owned(), "a".to_owned(), "c".to_owned()]), &["a", "b", "c"]);
    check(&BTreeSet::from([NonZero::new(80_u16), None]), &["80"]);
    check(&IndexSet::<u16>::from_iter([443, 80]), &["443", "80"]);
    check(&SocketAddr::from(([192, 0, 2, 1], 80)), &["192.0.2.1:80"]);
    check(&IpAddr::from([192, 0, 2, 1]), &["192.0.2.1"]);
}
