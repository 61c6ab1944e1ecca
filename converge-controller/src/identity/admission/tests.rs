use super::*;

/// Checks a tenancy and a pattern, which differ only in that a pattern may contain `*`.
#[track_caller]
fn check(scope: Scope, partition: &str, namespace: &str, expect: Result<(), &str>) {
    let resource_type = "demo.v1.Thing".parse().expect("a type");
    let pattern = TenancyPattern::from_units(partition, namespace).expect("a pattern");
    let actual = scope.admit_pattern(&resource_type, &pattern).map_err(|error| error.to_string());
    assert_eq!(actual, expect.map_err(String::from), "{scope}: {partition:?} {namespace:?}");
    if let Ok(tenancy) = Tenancy::from_units(partition, namespace) {
        let actual = scope.admit(&resource_type, &tenancy).map_err(|error| error.to_string());
        assert_eq!(actual, expect.map_err(String::from), "{scope}: {partition:?} {namespace:?}");
    }
}

#[test]
fn cluster() {
    let (scope, refused) =
        (Scope::Cluster, "cluster scoped resource demo.v1.Thing cannot have a partition, got");
    check(scope, "", "", Ok(()));
    check(scope, "p", "", Err(&format!("{refused} \"p\"")));
    check(scope, "p", "n", Err(&format!("{refused} \"p\"")));
    // A resource without a unit matches any unit.
    check(scope, "*", "", Ok(()));
    check(scope, "*", "*", Ok(()));
    let namespace = "cluster scoped resource demo.v1.Thing cannot have a namespace, got \"n\"";
    check(scope, "*", "n", Err(namespace));
}

#[test]
fn partition() {
    let (scope, refused) =
        (Scope::Partition, "partition scoped resource demo.v1.Thing cannot have a namespace, got");
    check(scope, "p", "", Ok(()));
    check(scope, "*", "", Ok(()));
    check(scope, "", "", Err("partition scoped resource demo.v1.Thing needs a partition"));
    check(scope, "p", "n", Err(&format!("{refused} \"n\"")));
    check(scope, "p", "*", Ok(()));
    check(scope, "*", "*", Ok(()));
    check(scope, "*", "n", Err(&format!("{refused} \"n\"")));
}

#[test]
fn namespace() {
    let scope = Scope::Namespace;
    check(scope, "p", "n", Ok(()));
    check(scope, "*", "n", Ok(()));
    check(scope, "p", "*", Ok(()));
    check(scope, "*", "*", Ok(()));
    check(scope, "", "", Err("namespace scoped resource demo.v1.Thing needs a partition"));
    check(scope, "p", "", Err("namespace scoped resource demo.v1.Thing needs a namespace"));
}

#[test]
fn each_scope_admits_its_default_tenancy() {
    let resource_type = "demo.v1.Thing".parse().expect("a type");
    for scope in [Scope::Cluster, Scope::Partition, Scope::Namespace] {
        let tenancy = scope.default_tenancy();
        assert_eq!(tenancy.scope(), scope);
        assert_eq!(scope.admit(&resource_type, &tenancy), Ok(()));
    }
}
