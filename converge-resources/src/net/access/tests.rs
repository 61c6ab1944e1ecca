//! Tests of authentication and TLS fields.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{HttpReply, Identity, ModelSystem, System, Tls};

use crate::net::fetch::FetchPreparer;
use crate::testing::{Written, apply, plan, plan_pending};

const URL: &str = "https://example.com/file";

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n";

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n";

fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn secret(text: &str) -> Value {
    Value::from(text).into_secret()
}

fn token() -> Value {
    map([("token", secret("hunter2"))])
}

fn basic() -> Value {
    map([("username", "me".into()), ("password", secret("hunter2"))])
}

/// Returns the fields, with a default source and destination.
fn written(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("source", URL.into()), ("destination", Value::from("/srv/file"))];
    for (name, value) in extra {
        fields.retain(|(have, _)| have != name);
        fields.push((name, value.clone()));
    }
    fields
}

/// Returns a host with a server that redirects from `/away` to another server.
fn model() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/srv")
        .with_file("/etc/ca.pem", CERTIFICATE)
        .with_file("/etc/key.pem", KEY)
        .with_file("/etc/no.pem", "hello")
        .with_service("https://example.com/", |asked, _| {
            let is_redirect = asked.url.to_string().ends_with("/away");
            let reply = HttpReply::new(if is_redirect { 302 } else { 200 }).with_body("content");
            Some(reply.with_header("Location", "https://other.test/file"))
        })
        .with_service("http://127.0.0.1:8500/", |_, _| Some(HttpReply::new(200).with_body("content")))
        .with_service("https://other.test/", |_, _| Some(HttpReply::new(200).with_body("theirs")))
}

/// Applies, which must succeed, and returns the credentials and TLS settings that servers got.
async fn told(extra: Written<'_>) -> Vec<(Option<String>, Tls)> {
    let model = Arc::new(model());
    let system: Arc<dyn System> = model.clone();
    let output = apply::<FetchPreparer>(&system, &written(extra)).await;
    assert_eq!(output, "will change\nstate: \"absent\" => \"present\"", "{extra:?}");
    let calls = model.requests().into_iter();
    calls.map(|call| (call.header("authorization").map(str::to_owned), call.tls)).collect()
}

#[tokio::test]
async fn what_a_server_is_told() {
    let check = async |more: Written<'_>, header: Option<&str>, tls: Tls| {
        assert_eq!(told(more).await, [(header.map(str::to_owned), tls)], "{more:?}");
    };
    check(&[], None, Tls::default()).await;
    check(&[("auth", token())], Some("Bearer hunter2"), Tls::default()).await;
    check(&[("auth", basic())], Some("Basic bWU6aHVudGVyMg=="), Tls::default()).await;
    let trusts = || Tls { authorities: Some(CERTIFICATE.to_owned()), ..Tls::default() };
    check(&[("ca", "/etc/ca.pem".into())], None, trusts()).await;
    check(&[("ca", CERTIFICATE.into())], None, trusts()).await;
    let identity = Some(Identity { certificate: CERTIFICATE.to_owned(), key: Secret::new(KEY.to_owned()) });
    let proves = || Tls { identity: identity.clone(), ..Tls::default() };
    let files = [("client_cert", "/etc/ca.pem".into()), ("client_key", "/etc/key.pem".into())];
    check(&files, None, proves()).await;
    let texts = [("client_cert", CERTIFICATE.into()), ("client_key", secret(KEY))];
    check(&texts, None, proves()).await;
    let twice = [("insecure", true.into()), ("accept_unverified", true.into())];
    check(&twice, None, Tls { insecure: true, ..Tls::default() }).await;
    // A service of this machine gets the credentials over http.
    let local_fields = [("source", "http://127.0.0.1:8500/file".into()), ("auth", token())];
    check(&[&local_fields[..], &twice].concat(), Some("Bearer hunter2"), Tls::default()).await;
    // Another server gets no credentials, and is verified.
    let redirect = ("source", Value::from("https://example.com/away"));
    let all_fields = [&[("auth", token()), redirect.clone()], &twice[..], &files[..]].concat();
    let sent = told(&all_fields).await;
    assert_eq!(sent[0].0.as_deref(), Some("Bearer hunter2"));
    assert_eq!(sent[0].1, Tls { insecure: true, ..proves() });
    assert_eq!(sent[1..], [(None, Tls::default())]);
    assert_eq!(told(&[("ca", CERTIFICATE.into()), redirect]).await[1], (None, trusts()));
}

#[tokio::test]
async fn what_does_not_fit() {
    let check = async |more: Written<'_>, expect: &str| {
        let model = Arc::new(model());
        let output = plan::<FetchPreparer>(&(Arc::clone(&model) as _), &written(more)).await;
        assert!(output.starts_with(&format!("error: {expect}")), "{output}");
        assert!(!output.contains("hunter2") && model.requests().is_empty(), "{output}");
    };
    let http_source = ("source", Value::from("http://example.com/file"));
    let over_https = "secrets are sent over https only: http can be read on its way";
    check(&[http_source.clone(), ("auth", token())], &format!("auth: {over_https}")).await;
    check(&[http_source.clone(), ("auth", basic())], &format!("auth: {over_https}")).await;
    let headers = map([("X-Key", secret("hunter2"))]);
    check(&[http_source.clone(), ("headers", headers)], &format!("headers: {over_https}")).await;
    let source = secret("http://example.com/hunter2");
    check(&[("source", source)], &format!("source: {over_https}")).await;
    let local = ("source", Value::from("http://localhost:80/file"));
    let who_listens =
        "secrets are sent over https only: over http, another user of this machine could receive the secret";
    check(&[local.clone(), ("auth", token())], &format!("auth: {who_listens}")).await;
    let single_insecure = [local.clone(), ("auth", token()), ("insecure", true.into())];
    check(&single_insecure, "insecure: without verification any server can answer").await;
    let is_plain = "it is for https, and the URL begins with http";
    check(&[http_source.clone(), ("ca", "/etc/ca.pem".into())], &format!("ca: {is_plain}")).await;
    let twice = [("insecure", true.into()), ("accept_unverified", true.into())];
    check(&[&[http_source.clone()][..], &twice].concat(), &format!("insecure: {is_plain}")).await;
    check(&[&[local][..], &twice].concat(), &format!("insecure: {is_plain}")).await;
    // Only this machine is excepted.
    check(&[&[http_source, ("auth", token())][..], &twice].concat(), &format!("auth: {over_https}")).await;
    let file = ("source", Value::from("/etc/ca.pem"));
    check(&[file, ("auth", token())], "auth: it is for a server, and `source` is a file").await;
    check(
        &[("insecure", true.into())],
        "insecure: without verification any server can answer: to accept that",
    )
    .await;
    check(
        &[("accept_unverified", true.into())],
        "accept_unverified: it has no effect without `insecure = true`",
    )
    .await;
    check(&[&twice[..], &[("ca", "/etc/ca.pem".into())]].concat(), "insecure: it turns `ca` off").await;
    check(
        &[("client_cert", "/etc/ca.pem".into())],
        "client_cert: `client_cert` and `client_key` must be given",
    )
    .await;
    let open = [("client_cert", CERTIFICATE.into()), ("client_key", KEY.replace("hunter2", "x").into())];
    check(&open, "client_key: everybody who reads the module can read this key").await;
    let headers = map([("authorization", "x".into())]);
    check(&[("auth", token()), ("headers", headers)], "headers: `auth` sends `Authorization`").await;
    let credentials =
        map([("username", "me".into()), ("password", secret("hunter2")), ("token", secret("x"))]);
    check(&[("auth", credentials)], "auth.").await;
    check(&[("auth", map([("username", "me".into())]))], "auth.").await;
    check(&[("auth", map([]))], "auth").await;
    let colon = map([("username", "me:you".into()), ("password", secret("hunter2"))]);
    check(&[("auth", colon)], "auth.username: \"me:you\" is not a name without `:`").await;
    check(&[("ca", "/etc/no.pem".into())], "ca: /etc/no.pem is not a file with PEM").await;
    check(&[("ca", "/etc/none.pem".into())], "file \"/etc/none.pem\" does not exist").await;
    // A line break is invalid in a header, and the error does not show the secret.
    let lines = map([("token", secret("hunter2\r\nX: y"))]);
    let output = plan::<FetchPreparer>(&(Arc::new(model()) as _), &written(&[("auth", lines)])).await;
    let expect = "the header \"Authorization\" cannot be sent: it has invalid characters";
    assert_eq!(output, format!("error: cannot fetch {URL}: {expect}"));
    // A pending change may create the file.
    let ca = [("ca", Value::from("/etc/none.pem"))];
    let output = plan_pending::<FetchPreparer>(&(Arc::new(model()) as _), &written(&ca)).await;
    assert!(
        output.starts_with("may change") && output.contains("\"/etc/none.pem\" does not exist, yet"),
        "{output}"
    );
}
