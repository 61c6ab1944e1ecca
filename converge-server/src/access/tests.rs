use converge_controller::protobuf::Timestamp;
use converge_controller::testing::{admit, resource};

use super::rule::{Rule, Verb};
use super::token::Token;

fn token() -> Token {
    let rule = Rule { types: vec!["*".into()], verbs: vec![Verb::Read], ..Rule::default() };
    Token { sha256: "0".repeat(64), rules: vec![rule], ..Token::default() }
}

#[track_caller]
fn refused(token: Token, expect: &str) {
    assert_eq!(admit::<Token>(resource("ci").with_data(token).build()).unwrap_err(), expect);
}

#[test]
fn what_a_token_is() {
    assert_eq!(admit(resource("ci").with_data(token()).build()), Ok(token()));
    refused(
        Token::default(),
        "sha256 is wrong: the hash of a token is 64 hexadecimal digits, the SHA-256 of the token",
    );
    refused(Token { partition: "A".into(), ..token() }, "partition is not a name");
    let token_with = |rule| Token { rules: vec![rule], ..token() };
    refused(token_with(Rule::default()), "rules[0].types is missing; rules[0].verbs is missing");
    let rule = |types: &str, namespace: &str| Rule {
        types: vec![types.into()],
        verbs: vec![Verb::Unspecified],
        namespace: namespace.into(),
        ..Rule::default()
    };
    refused(
        token_with(rule("Artist", "web")),
        "rules[0].verbs VERB_READ, VERB_LIST and VERB_WRITE are the verbs there are; rules[0].types types are written as \
         group.group_version.Kind, each of which may be *, got \"Artist\"",
    );
    refused(
        token_with(Rule { verbs: vec![Verb::Read], ..rule("*", "Web") }),
        "rules[0].namespace is \"Web\": neither a name nor \"*\"",
    );
}

#[test]
fn when_a_token_ends() {
    let timestamp = |second| Timestamp::from_second(second).unwrap();
    let token = Token { expires: Some(timestamp(10)), ..token() };
    assert!(!token.has_expired(timestamp(9)) && token.has_expired(timestamp(10)));
    assert!(!Token::default().has_expired(Timestamp::MAX));
}
