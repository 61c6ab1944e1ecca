use converge_controller::authorize::{Policy, Rule, Token, TokenHash, Verb};
use converge_controller::{Namespace, Partition};
use tonic::Status;

use super::*;

/// Starts a server with two tokens, and an open one from which the client learns the types.
async fn start_with_tokens() -> (Running, Running, Client) {
    let (open, client) = start().await;
    let token = |name: &str, verbs: &[Verb]| Token {
        name: name.to_owned(),
        sha256: TokenHash::from_token(name),
        partition: Partition::default(),
        namespace: Namespace::default(),
        rules: vec![Rule::new("*", verbs).unwrap()],
    };
    let policy =
        [token("admin", &[Verb::Read, Verb::List, Verb::Write]), token("reader", &[Verb::Read, Verb::List])];
    let local_address = "127.0.0.1:0".parse().unwrap();
    let server = Server::new()
        .with_http(local_address)
        .with_grpc(local_address)
        .with_policy(Policy::new(policy).unwrap());
    let running = server.with_types(TypeRegistry::register::<Artist>).start().await.unwrap();
    let channel = connect(&running).await;
    (running, open, Client { channel, ..client })
}

async fn ask(client: &Client, token: Option<&str>, method: &str, json: Value) -> Result<Value, Status> {
    let mut request = client.request(method, json);
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    client.call(method, request).await
}

#[tokio::test]
async fn whoever_asks_has_a_token_that_says_what_it_may() {
    let (running, open, client) = start_with_tokens().await;
    let write = |name: &str| json!({ "resource": artist(name, "metal") });
    let without_token = ask(&client, None, "Write", write("korn")).await;
    refused(without_token, Code::Unauthenticated, "the request has no token");
    let with_invalid_token = ask(&client, Some("guess"), "Read", json!({ "id": id("korn") })).await;
    refused(with_invalid_token, Code::Unauthenticated, "unknown token");

    ask(&client, Some("admin"), "Write", write("korn")).await.unwrap();
    ask(&client, Some("reader"), "Read", json!({ "id": id("korn") })).await.unwrap();
    // Errors about existing and missing resources have the same words as in HTTP.
    let refusal = async |name: &str| {
        let status = ask(&client, Some("reader"), "Write", write(name)).await.unwrap_err();
        assert_eq!(status.code(), Code::PermissionDenied, "{status}");
        status.message().replace(name, "NAME")
    };
    let message = refusal("korn").await;
    assert_eq!(message, refusal("tool").await);
    let url = format!("http://{}/v1/resources/demo/v2/artist/korn", running.http());
    let by_http = tokio::task::spawn_blocking(move || {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let request =
            agent.put(url).header("authorization", "Bearer reader").content_type("application/json");
        let reply = request.send("{}").unwrap().into_body().read_to_string().unwrap();
        serde_json::from_str::<Value>(&reply).unwrap()
    });
    let by_http = by_http.await.unwrap();
    assert_eq!(by_http["error"]["message"].as_str().unwrap().replace("korn", "NAME"), message);

    // Reflection only lists types to authenticated callers.
    let path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo".parse().unwrap();
    let mut grpc = tonic::client::Grpc::new(client.channel.clone());
    grpc.ready().await.unwrap();
    let stream_request = tonic::Request::new(futures_util::stream::iter([Vec::new()]));
    let answer = grpc.streaming(stream_request, path, client::Raw).await.map(drop);
    refused(answer, Code::Unauthenticated, "the request has no token");
    running.stop().await;
    open.stop().await;
}
