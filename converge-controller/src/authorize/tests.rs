use super::*;
use crate::identity::{Name, TenancyPattern, Type};

fn caller(rules: &str) -> Caller {
    let hash = TokenHash::from_token("t");
    let text = format!(r#"{{"tokens":[{{"name":"n","sha256":"{hash}","rules":{rules}}}]}}"#);
    Policy::parse(&text).expect("a policy").caller("t").expect("a caller")
}

#[test]
fn rules() {
    #[track_caller]
    fn check(rules: &str, verb: Verb, resource_type: &str, units: (&str, &str), expect: bool) {
        let resource_type: Type = resource_type.parse().unwrap();
        let tenancy = TenancyPattern::from_units(units.0, units.1).unwrap();
        let name: Name = "korn".parse().unwrap();
        let question = Question { verb, resource_type: &resource_type, tenancy: &tenancy, name: Some(&name) };
        assert_eq!(caller(rules).may(&question), expect);
    }
    const ARTIST: &str = "demo.v2.Artist";
    let (read, list, write) = (Verb::Read, Verb::List, Verb::Write);

    check("[]", read, ARTIST, ("eu", "web"), false);
    let rule = r#"[{"types":["*"],"verbs":["read","list","write"]}]"#;
    for units in [("", ""), ("eu", ""), ("eu", "web"), ("*", "*")] {
        check(rule, write, ARTIST, units, true);
    }

    let reads = r#"[{"types":["demo.*.Artist"],"verbs":["read","list"],"partition":"eu","namespace":"web"}]"#;
    check(reads, read, ARTIST, ("eu", "web"), true);
    check(reads, list, ARTIST, ("eu", "web"), true);
    check(reads, write, ARTIST, ("eu", "web"), false);
    check(reads, read, "demo.v1.Artist", ("eu", "web"), true);
    check(reads, read, "demo.v2.Album", ("eu", "web"), false);
    check(reads, read, "other.v2.Artist", ("eu", "web"), false);
    check(reads, read, ARTIST, ("us", "web"), false);
    check(reads, read, ARTIST, ("eu", "db"), false);
    // A request for all namespaces needs more than a rule for one.
    check(reads, list, ARTIST, ("eu", "*"), false);
    check(reads, list, ARTIST, ("*", "web"), false);
    check(reads, read, ARTIST, ("eu", ""), false);
    check(reads, read, ARTIST, ("", ""), false);

    let of_partition = r#"[{"types":["demo.v2.Artist"],"verbs":["list"],"partition":"eu"}]"#;
    check(of_partition, list, ARTIST, ("eu", "*"), true);
    check(of_partition, list, ARTIST, ("eu", ""), true);
    check(of_partition, list, ARTIST, ("", ""), false);
}

#[test]
fn policies_that_cannot_be() {
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let error = Policy::parse(text).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }
    let (hash, rule) = (TokenHash::from_token("t"), r#"{"types":["*"],"verbs":["read"]}"#);
    check("{}", "missing field `tokens`");
    check(r#"{"tokens":[{"name":"n","sha256":"abc"}]}"#, "64 hexadecimal digits");
    check(
        &format!(r#"{{"tokens":[{{"name":"n","sha256":"{}"}}]}}"#, "é".repeat(32)),
        "64 hexadecimal digits",
    );
    check(&format!(r#"{{"tokens":[{{"name":"n","sha256":"{hash}","role":"x"}}]}}"#), "unknown field `role`");
    let token = |name: &str, rule: &str| format!(r#"{{"name":"{name}","sha256":"{hash}","rules":[{rule}]}}"#);
    check(
        &format!(r#"{{"tokens":[{},{}]}}"#, token("a", rule), token("b", rule)),
        "the tokens \"a\" and \"b\" of the policy have the same hash",
    );
    let config = |rule: &str| format!(r#"{{"tokens":[{}]}}"#, token("a", rule));
    check(&config(r#"{"types":["demo"],"verbs":[]}"#), "each of which may be *, got \"demo\"");
    check(&config(r#"{"types":["demo.v1.artist"],"verbs":[]}"#), "got \"demo.v1.artist\"");
    check(&config(r#"{"types":["*"],"verbs":["own"]}"#), "unknown variant `own`");
    check(
        &config(r#"{"types":["*"],"verbs":[],"partition":"EU"}"#),
        "a rule of token \"a\" is about partition \"EU\", which is neither a name nor \"*\"",
    );
    check(&config(r#"{"types":["*"],"verbs":[],"namespace":""}"#), "is about namespace \"\"");
}

#[test]
fn a_token_says_what_its_caller_means_by_no_tenancy() {
    let hash = TokenHash::from_token("t");
    let text =
        format!(r#"{{"tokens":[{{"name":"n","sha256":"{hash}","partition":"eu","namespace":"web"}}]}}"#);
    let policy = Policy::parse(&text).unwrap();
    let defaults = policy.caller("t").unwrap().defaults().clone();
    assert_eq!((defaults.partition.as_str(), defaults.namespace.as_str()), ("eu", "web"));
    assert_eq!(policy.name("t"), Some("n"));
    assert_eq!(policy.name("T"), None);
}
