use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, Output};
use proptest::prelude::*;

use super::config::Config;
use super::{Credentials, find};
use crate::testing::context;

/// `ada:secret` and `bob:pass:word` in base64.
const ADA: &str = "YWRhOnNlY3JldA==";
const BOB: &str = "Ym9iOnBhc3M6d29yZA";

fn model(config: &str) -> ModelSystem {
    ModelSystem::new().with_env("HOME", "/root").with_file("/root/.docker/config.json", config)
}

async fn found(model: ModelSystem, registry: &str) -> String {
    let cx = context(Arc::new(model), RunMode::Apply);
    match find(&cx, registry).await {
        Ok(lookup) => match lookup.credentials {
            None => "nothing".to_owned(),
            Some(Credentials::Password { user, password }) => format!("{user} {password}"),
            Some(Credentials::Token(token)) => format!("token {token}"),
        },
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn what_the_file_says() {
    let check = async |config: &str, registry: &str, expect: &str| {
        let config = config.replace("ADA", ADA).replace("BOB", BOB);
        assert_eq!(found(model(&config), registry).await, expect, "{config} {registry}");
    };
    let hub = r#"{"auths": {"https://index.docker.io/v1/": {"auth": "ADA"}}}"#;
    check(hub, "docker.io", "ada secret").await;
    check(hub, "registry:5000", "nothing").await;
    let own_config = r#"{"auths": {"registry:5000": {"auth": "ADA"}, "registry": {"auth": "BOB"}}}"#;
    check(own_config, "registry:5000", "ada secret").await;
    check(own_config, "registry", "bob pass:word").await;
    check(own_config, "docker.io", "nothing").await;
    let url = r#"{"auths": {"https://registry:5000/v2/": {"auth": "BOB"}}}"#;
    check(url, "registry:5000", "bob pass:word").await;
    let plain_config = r#"{"auths": {"r.io": {"username": "eve", "password": "p"}}}"#;
    check(plain_config, "r.io", "eve p").await;
    let token = r#"{"auths": {"r.io": {"auth": "ADA", "identitytoken": "t"}}}"#;
    check(token, "r.io", "token t").await;
    check(r#"{"auths": {"r.io": {}}}"#, "r.io", "nothing").await;
    check("{}", "r.io", "nothing").await;
    check(
        r#"{"auths": {"r.io": {"auth": "?"}}}"#,
        "r.io",
        "/root/.docker/config.json: `auths`, \"r.io\": `auth` is not text in base64; `docker login` writes it again",
    )
    .await;
    check(
        r#"{"auths": {"r.io": {"auth": "YWRh"}}}"#,
        "r.io",
        "/root/.docker/config.json: `auths`, \"r.io\": `auth` is not a user and a password with a colon between \
         them; `docker login` writes it again",
    )
    .await;
    check(
        "{\"auths\":\n  secret}",
        "r.io",
        "/root/.docker/config.json is not a configuration of docker: it is not a JSON object of the known form, at \
         line 2, column 3",
    )
    .await;
}

#[tokio::test]
async fn where_the_file_is() {
    let file = format!(r#"{{"auths": {{"r.io": {{"auth": "{ADA}"}}}}}}"#);
    let check = async |model: ModelSystem, expect: &str| assert_eq!(found(model, "r.io").await, expect);
    check(ModelSystem::new(), "nothing").await;
    check(ModelSystem::new().with_env("HOME", "/root"), "nothing").await;
    check(model(&file), "ada secret").await;
    let elsewhere = || ModelSystem::new().with_env("HOME", "/root").with_env("DOCKER_CONFIG", "/etc/docker");
    check(elsewhere().with_file("/root/.docker/config.json", file.as_str()), "nothing").await;
    check(elsewhere().with_file("/etc/docker/config.json", file.as_str()), "ada secret").await;
}

#[tokio::test]
async fn helpers() {
    let check = async |config: &str, registry: &str, answer: Output, expect: &str| {
        let model = model(&config.replace("ADA", ADA)).with_program(move |command, _| {
            if command.program != "docker-credential-keep" || command.args != ["get"] {
                return None;
            }
            Some(match &*String::from_utf8_lossy(&command.stdin) {
                "r.io" | "https://index.docker.io/v1/" => answer.clone(),
                _ => Output::failure(1, "credentials not found in native keychain"),
            })
        });
        assert_eq!(found(model, registry).await, expect, "{config} {registry}");
    };
    let eve = || Output::success(r#"{"ServerURL": "r.io", "Username": "eve", "Secret": "s"}"#);
    let helper_config =
        r#"{"credHelpers": {"r.io": "keep"}, "auths": {"r.io": {"auth": "ADA"}, "s.io": {"auth": "ADA"}}}"#;
    check(helper_config, "r.io", eve(), "eve s").await;
    check(helper_config, "s.io", eve(), "ada secret").await;
    let store_config = r#"{"credsStore": "keep", "auths": {"s.io": {"auth": "ADA"}}}"#;
    check(store_config, "r.io", eve(), "eve s").await;
    check(store_config, "docker.io", eve(), "eve s").await;
    check(store_config, "s.io", eve(), "ada secret").await;
    check(store_config, "t.io", eve(), "nothing").await;
    let token = Output::success(r#"{"ServerURL": "r.io", "Username": "<token>", "Secret": "s"}"#);
    check(store_config, "r.io", token, "token s").await;
    check(
        store_config,
        "r.io",
        Output::failure(1, "the keyring is locked\n"),
        "docker-credential-keep get for \"r.io\" failed: the keyring is locked",
    )
    .await;
    check(
        store_config,
        "r.io",
        Output::success("s3cret"),
        "docker-credential-keep get for \"r.io\" printed an invalid answer",
    )
    .await;
    check(
        r#"{"credsStore": "lost"}"#,
        "r.io",
        eve(),
        "the configuration of docker names the helper \"docker-credential-lost\" for credentials, and there is no \
         such program: install it, or take it out of the configuration",
    )
    .await;
}

#[test]
fn credentials_are_not_shown() {
    let check = |credentials: Credentials, expect: &str| {
        assert_eq!(format!("{credentials:?}"), expect);
    };
    check(Credentials::new("ada".to_owned(), "secret".to_owned()), "the credentials of \"ada\"");
    check(Credentials::new("<token>".to_owned(), "secret".to_owned()), "a token");
}

proptest! {
    #[test]
    fn any_file_is_read_or_refused(text in "\\PC{0,60}", auth in "\\PC{0,12}") {
        let read = |text: &str| {
            let Ok(config) = Config::parse("config.json".as_ref(), text.as_bytes()) else { return };
            for source in config.sources("r.io") {
                if let super::CredentialSource::Entry(_, entry) = source {
                    let _ = entry.credentials();
                }
            }
        };
        read(&text);
        read(&serde_json::json!({"auths": {"r.io": {"auth": auth}}, "credsStore": text}).to_string());
    }
}
