//! Tests of types that are defined while the server runs.

use serde_json::json;

use super::*;

const ALBUM: &str = "syntax = \"proto3\";
package converge.music.v1;
import \"converge/resource/annotations.proto\";
message Album {
  option (converge.resource.spec) = { scope: SCOPE_NAMESPACE };
  string title = 1;
}
";

fn definition(text: &str) -> Value {
    let url = "type.googleapis.com/converge.converge.v1.TypeDefinition";
    json!({ "resource": {
        "id": { "type": { "group": "converge", "group_version": "v1", "kind": "TypeDefinition" }, "name": "music" },
        "data": { "@type": url, "files": { "album.proto": text } },
    } })
}

#[tokio::test]
async fn types_that_are_defined_are_told_and_their_resources_written() {
    let (running, _) = start().await;
    let channel = connect(&running).await;
    let client = Client::learn(channel.clone(), &["converge.converge.v1.TypeDefinition"]).await;
    let invalid_type = definition(&ALBUM.replace("string title", "strin title"));
    let expect = "converge.v1.TypeDefinition/music is not valid: files[\"album.proto\"] at 6:3: name 'strin' is not defined";
    refused(client.ask("Write", invalid_type.clone()).await, Code::InvalidArgument, expect);
    refused(client.ask("MutateAndValidate", invalid_type).await, Code::InvalidArgument, expect);
    let checked = client.ask("MutateAndValidate", definition(ALBUM)).await.unwrap();
    assert!(checked["resource"]["metadata"]["finalizers"].is_string(), "{checked}");
    let unknown = names(&["converge.music.v1.Album"], Question::FileContainingSymbol);
    assert!(matches!(reflect(&channel, "v1", unknown).await[0], Found::Error(_)), "nothing was written");

    client.ask("Write", definition(ALBUM)).await.unwrap();
    // A client that only has the address.
    let client =
        Client::learn(channel.clone(), &["converge.music.v1.Album", "converge.converge.v1.TypeDefinition"])
            .await;
    let id = json!({ "type": { "group": "music", "group_version": "v1", "kind": "Album" },
        "tenancy": { "partition": "default", "namespace": "default" }, "name": "issues" });
    let data = json!({ "@type": "type.googleapis.com/converge.music.v1.Album", "title": "Issues" });
    let stored_album = client.ask("Write", json!({ "resource": { "id": id, "data": data } })).await.unwrap();
    assert_eq!(stored_album["resource"]["data"], data);
    let of_definition = json!({ "id": definition(ALBUM)["resource"]["id"] });
    let left = "resources of the types of converge.v1.TypeDefinition/music still exist: 1 of music.Album; delete them first";
    refused(client.ask("Delete", of_definition.clone()).await, Code::FailedPrecondition, left);
    client.ask("Delete", json!({ "id": id })).await.unwrap();
    client.ask("Delete", of_definition).await.unwrap();
    // A controller removes the finalizer.
    let questions = names(&["converge.music.v1.Album"], Question::FileContainingSymbol);
    while !matches!(reflect(&channel, "v1", questions.clone()).await[0], Found::Error(_)) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    running.stop().await;
}
