use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(partition: &str, namespace: &str, expect: Result<Scope, &str>) {
    let actual = Tenancy::from_units(partition, namespace);
    assert_eq!(
        actual.as_ref().map(Tenancy::scope).map_err(ToString::to_string),
        expect.map_err(String::from)
    );
    if let Ok(tenancy) = actual {
        assert_eq!(tenancy.partition().map_or("", Partition::as_str), partition);
        assert_eq!(tenancy.namespace().map_or("", Namespace::as_str), namespace);
    }
}

#[test]
fn units() {
    check("", "", Ok(Scope::Cluster));
    check("p", "", Ok(Scope::Partition));
    check("p", "n", Ok(Scope::Namespace));
    check("", "n", Err("namespace \"n\" is given without its partition: add it, for example default"));
    check(
        "*",
        "n",
        Err(
            "partition cannot be \"*\" here: it stands for any partition only where resources are listed or watched",
        ),
    );
    check(
        "p",
        "*",
        Err(
            "namespace cannot be \"*\" here: it stands for any namespace only where resources are listed or watched",
        ),
    );
    check(
        "P",
        "n",
        Err(
            "\"P\" is not a partition: it is a lower-case DNS label, 1 to 63 characters: a-z, 0-9 and -, a letter or \
             a digit at both ends",
        ),
    );
    check(
        "p",
        "n n",
        Err(
            "\"n n\" is not a namespace: it is a lower-case DNS label, 1 to 63 characters: a-z, 0-9 and -, a letter \
             or a digit at both ends",
        ),
    );
}

#[test]
fn patterns() {
    #[track_caller]
    fn check(
        (partition, namespace): (&str, &str),
        match_units: &[(&str, &str)],
        non_matches: &[(&str, &str)],
    ) {
        let pattern = TenancyPattern::from_units(partition, namespace).expect("a pattern");
        let matches = |(p, n): &(&str, &str)| pattern.matches(&Tenancy::from_units(p, n).expect("a tenancy"));
        assert!(match_units.iter().all(matches), "{pattern:?}: {match_units:?}");
        assert!(!non_matches.iter().any(matches), "{pattern:?}: {non_matches:?}");
    }
    check(("", ""), &[("", "")], &[("p", ""), ("p", "n")]);
    check(("p", ""), &[("p", "")], &[("", ""), ("q", ""), ("p", "n")]);
    check(("*", ""), &[("p", ""), ("q", "")], &[("", ""), ("p", "n")]);
    check(("p", "*"), &[("p", "n"), ("p", "m")], &[("p", ""), ("q", "n")]);
    check(("*", "n"), &[("p", "n"), ("q", "n")], &[("p", "m")]);
    check(("*", "*"), &[("p", "n"), ("q", "m")], &[("", ""), ("p", "")]);

    let error =
        |partition, namespace| TenancyPattern::from_units(partition, namespace).map_err(|e| e.to_string());
    assert_eq!(
        error("", "*"),
        Err("namespace \"*\" is given without its partition: add it, for example default".into())
    );
    assert!(error("p*", "").is_err());
}

#[test]
fn as_json() {
    #[track_caller]
    fn check(json: &str, expect: Option<&str>) {
        let actual = serde_json::from_str::<Tenancy>(json).ok();
        assert_eq!(
            actual.map(|tenancy| serde_json::to_string(&tenancy).expect("text")).as_deref(),
            expect,
            "{json}"
        );
    }
    check("{}", Some("{}"));
    check(r#"{"partition":"","namespace":""}"#, Some("{}"));
    check(r#"{"partition":"p"}"#, Some(r#"{"partition":"p"}"#));
    check(r#"{"partition":"p","namespace":"n"}"#, Some(r#"{"partition":"p","namespace":"n"}"#));
    check(r#"{"namespace":"n"}"#, None);
    check(r#"{"partition":"*"}"#, None);
    check(r#"{"partition":"p","peer":"x"}"#, None);
}

fn unit() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-c]"]
}

proptest! {
    #[test]
    fn a_tenancy_as_a_pattern_matches_itself_only(p1 in unit(), n1 in unit(), p2 in unit(), n2 in unit()) {
        if let (Ok(one), Ok(other)) = (Tenancy::from_units(&p1, &n1), Tenancy::from_units(&p2, &n2)) {
            let pattern = TenancyPattern::from(one.clone());
            prop_assert_eq!(pattern.scope(), one.scope());
            prop_assert_eq!(pattern.matches(&other), one == other);
        }
    }

    #[test]
    fn every_tenancy_is_a_pattern(partition in "\\PC{0,5}", namespace in "\\PC{0,5}") {
        if let Ok(tenancy) = Tenancy::from_units(&partition, &namespace) {
            prop_assert_eq!(TenancyPattern::from_units(&partition, &namespace), Ok(tenancy.into()));
        }
    }
}

#[test]
fn what_a_resource_mentions_is_completed_by_its_own_tenancy() {
    #[track_caller]
    fn check(units: (&str, &str), default: (&str, &str), expect: [(&str, &str); 3]) {
        let tenancy = |(partition, namespace)| Tenancy::from_units(partition, namespace).unwrap();
        let completed = [Scope::Cluster, Scope::Partition, Scope::Namespace]
            .map(|scope| tenancy(units).completed_by(&tenancy(default), scope));
        assert_eq!(completed, expect.map(tenancy));
    }
    check(("", ""), ("eu", "web"), [("", ""), ("eu", ""), ("eu", "web")]);
    check(("eu", ""), ("eu", "web"), [("", ""), ("eu", ""), ("eu", "web")]);
    check(("eu", "db"), ("eu", "web"), [("", ""), ("eu", ""), ("eu", "db")]);
    check(("us", ""), ("eu", "web"), [("", ""), ("us", ""), ("us", "default")]);
    check(("us", "db"), ("eu", "web"), [("", ""), ("us", ""), ("us", "db")]);
    check(("", ""), ("eu", ""), [("", ""), ("eu", ""), ("eu", "default")]);
    check(("", ""), ("", ""), [("", ""), ("default", ""), ("default", "default")]);
    check(("", ""), ("default", "web"), [("", ""), ("default", ""), ("default", "web")]);
}
